// A button with a short menu. Arrow keys walk it, Esc and a press elsewhere close it.
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import styles from './MenuButton.module.css'

export interface MenuChoice {
  key: string
  label: ReactNode
  icon?: ReactNode
  /** Of several choices the selected one. */
  isChecked?: boolean
  onSelect: () => void
}

export interface MenuButtonProps {
  /** The name of the button, where its content is only an icon. */
  label: string
  choices: readonly MenuChoice[]
  /** Above the choices, e.g. the whole of a name that the button cuts. */
  head?: ReactNode
  className?: string | undefined
  /** Drawn over everything and outside elements that would clip it: for a button in a row of a table. */
  isFloating?: boolean
  children: ReactNode
}

export function MenuButton({
  label,
  choices,
  head,
  className,
  isFloating = false,
  children,
}: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState<CSSProperties>({})
  const whole = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const menuId = useId()

  useLayoutEffect(() => {
    if (!isOpen || !isFloating || !menu.current || !button.current) return
    menu.current.showPopover()
    const follow = () => {
      if (button.current && menu.current) setPlace(placeBeside(button.current, menu.current))
    }
    follow()
    document.addEventListener('scroll', follow, { capture: true })
    return () => document.removeEventListener('scroll', follow, { capture: true })
  }, [isOpen, isFloating])

  useEffect(() => {
    if (!isOpen) return
    whole.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus({ preventScroll: true })
    const onPress = (event: PointerEvent) => {
      if (!whole.current?.contains(event.target as Node)) setOpen(false)
    }
    // Before a dialog that contains the button: the first Esc closes only the menu.
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      setOpen(false)
      button.current?.focus()
    }
    document.addEventListener('pointerdown', onPress)
    window.addEventListener('keydown', onEscape, { capture: true })
    return () => {
      document.removeEventListener('pointerdown', onPress)
      window.removeEventListener('keydown', onEscape, { capture: true })
    }
  }, [isOpen])

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) {
      if (event.key === 'ArrowDown') {
        event.preventDefault()
        setOpen(true)
      }
      return
    }
    if (event.key === 'Tab') {
      setOpen(false)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const items = [...(whole.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
      const at = items.indexOf(document.activeElement as HTMLElement)
      const step = event.key === 'ArrowDown' ? 1 : -1
      items[(at + step + items.length) % items.length]?.focus()
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble here from the button and its menu
    <div ref={whole} className={styles.whole} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div
          ref={menu}
          id={menuId}
          role="menu"
          aria-label={label}
          className={styles.menu}
          {...(isFloating && { popover: 'manual' as const, style: place })}
        >
          {head && (
            // A menu has only choices for screen readers: the text is in its name.
            <div className={styles.head} aria-hidden="true">
              {head}
            </div>
          )}
          {choices.map((choice) => (
            <button
              key={choice.key}
              type="button"
              {...roleOf(choice)}
              className={styles.choice}
              tabIndex={-1}
              onClick={() => {
                setOpen(false)
                button.current?.focus()
                choice.onSelect()
              }}
            >
              {choice.icon && <span className={styles.icon}>{choice.icon}</span>}
              <span className={styles.label}>{choice.label}</span>
              {choice.isChecked && (
                <span className={styles.check} aria-hidden="true">
                  ✓
                </span>
              )}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

function roleOf({ isChecked }: MenuChoice) {
  return isChecked === undefined
    ? ({ role: 'menuitem' } as const)
    : ({ role: 'menuitemradio', 'aria-checked': isChecked } as const)
}

/** Below the button and flush with its left; above it and flush with its right where the window ends. */
function placeBeside(button: HTMLElement, menu: HTMLElement): CSSProperties {
  const gapPx = 4
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const isBelow = bottom + gapPx + menu.offsetHeight <= window.innerHeight
  return {
    top: isBelow ? bottom + gapPx : Math.max(gapPx, top - gapPx - menu.offsetHeight),
    left:
      left + menu.offsetWidth + gapPx <= window.innerWidth ? left : Math.max(gapPx, right - menu.offsetWidth),
  }
}
