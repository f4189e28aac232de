// The search of Ctrl K, over whatever page is open; by keyboard alone. The field is part of the layout, so that what is
// typed right after the keys is in it: what finds and lists comes with code of its own.
import { SearchOutlined } from '@ant-design/icons'
import {
  type ComponentType,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { NotLoaded } from '../../ui/late.tsx'
import type { Listed, ResultKeys, ResultsProps } from './listing.ts'
import styles from './SearchDialog.module.css'
import { searchTexts } from './search.texts.ts'

/** Once its code has come. */
let Loaded: ComponentType<ResultsProps> | undefined

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const keys = useRef<ResultKeys>(null)
  const enteredRef = useRef<string>(undefined)
  const [keyword, setKeyword] = useState('')
  const [{ activeId, hasEntries }, setListed] = useState<Listed>({ activeId: undefined, hasEntries: false })
  const [Results, setResults] = useState(() => Loaded)
  const [hasFailed, setFailed] = useState(false)
  const listId = useId()

  // Before the next key: it belongs to the field.
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  useEffect(() => {
    if (Loaded) return
    import('./SearchResults.tsx').then(
      (code) => {
        Loaded = code.default
        setResults(() => code.default)
      },
      () => setFailed(true),
    )
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      keys.current?.step(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      // Kept for a text whose results, or whose code, are still to come.
      enteredRef.current = keyword
      keys.current?.enter()
    }
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog by itself
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={searchTexts.title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className={styles.head}>
        <SearchOutlined aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          className={styles.input}
          aria-label={searchTexts.open}
          aria-expanded={hasEntries}
          aria-controls={listId}
          aria-activedescendant={activeId}
          aria-autocomplete="list"
          placeholder={searchTexts.placeholder}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          value={keyword}
          onChange={(event) => {
            enteredRef.current = undefined
            setKeyword(event.target.value)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className={styles.close} onClick={onClose}>
          {searchTexts.keys.close}
        </button>
      </div>
      {hasFailed && <NotLoaded />}
      {Results && (
        <Results
          listId={listId}
          keyword={keyword}
          keys={keys}
          enteredRef={enteredRef}
          onListed={setListed}
          onClose={onClose}
        />
      )}
    </dialog>
  )
}
