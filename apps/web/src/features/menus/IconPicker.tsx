// The icon picker of the menu form. The panel opens below its button: typing searches names and descriptions, arrow
// keys move between the icons, Esc closes.
import { Button, Input } from 'antd'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { RowButton } from '../../ui/buttons/RowActions.tsx'
import { MenuIcon, menuIconName, menuIcons } from '../../ui/menuIcons.tsx'
import styles from './IconPicker.module.css'
import { menuTexts } from './menus.texts.ts'

const words = menuTexts.iconPicker
const labels = menuTexts.icons

export interface IconPickerProps {
  id?: string
  value?: string | undefined
  onChange?: (name: string | undefined) => void
}

export default function IconPicker({ id, value, onChange }: IconPickerProps) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const grid = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panelId = useId()
  const chosen = menuIconName(value ?? null)
  const word = typed.trim().toLowerCase()
  const names = Object.keys(menuIcons)
    .toSorted()
    .filter((name) => name.includes(word) || (labels[name] ?? '').includes(word))
  const stop = chosen && names.includes(chosen) ? chosen : names[0]

  const close = () => {
    setOpen(false)
    setTyped('')
    button.current?.focus()
  }
  const choose = (name: string | undefined) => {
    onChange?.(name)
    close()
  }
  const icons = () => [...(grid.current?.querySelectorAll<HTMLElement>('button') ?? [])]

  const onKeyDown = (event: KeyboardEvent) => {
    // During an IME composition, Enter and Esc belong to the composition.
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') {
      // Esc closes only the panel, not the dialog around it.
      event.stopPropagation()
      event.nativeEvent.stopImmediatePropagation()
      close()
      return
    }
    const all = icons()
    const at = all.indexOf(document.activeElement as HTMLElement)
    if (at < 0) {
      if (event.key === 'ArrowDown' && all.length > 0) {
        event.preventDefault()
        all[0]?.focus()
      }
      if (event.key === 'Enter') {
        // Enter in the search chooses the first result; it must not send the form.
        event.preventDefault()
        if (word && names[0]) choose(names[0])
      }
      return
    }
    const perRow = Math.max(1, all.filter((each) => each.offsetTop === all[0]?.offsetTop).length)
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: perRow,
      ArrowUp: -perRow,
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus()
  }

  return (
    <div className={styles.picker}>
      <div className={styles.line}>
        <Button
          ref={button}
          id={id}
          icon={chosen ? <MenuIcon name={chosen} /> : undefined}
          aria-label={chosen ? `${words.change} ${labels[chosen] ?? chosen}` : words.choose}
          aria-expanded={isOpen}
          aria-controls={isOpen ? panelId : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {chosen ? (labels[chosen] ?? chosen) : words.choose}
        </Button>
        {value && <RowButton onClick={() => onChange?.(undefined)}>{words.clear}</RowButton>}
      </div>
      {isOpen && (
        <fieldset id={panelId} className={styles.panel} aria-label={words.list} onKeyDown={onKeyDown}>
          <Input
            autoFocus
            allowClear
            placeholder={words.search}
            aria-label={words.search}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          {names.length === 0 ? (
            <p className={styles.none}>{words.none}</p>
          ) : (
            <div ref={grid} className={styles.grid}>
              {names.map((name) => (
                <button
                  key={name}
                  type="button"
                  className={styles.icon}
                  aria-label={`${labels[name] ?? name} ${name}`}
                  aria-pressed={name === chosen}
                  title={`${labels[name] ?? ''} ${name}`}
                  tabIndex={name === stop ? 0 : -1}
                  onClick={() => choose(name)}
                >
                  <MenuIcon name={name} />
                </button>
              ))}
            </div>
          )}
        </fieldset>
      )}
    </div>
  )
}
