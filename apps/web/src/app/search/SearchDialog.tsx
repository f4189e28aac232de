// The search of Ctrl K: devices, users, pages and functions by a few letters, over whatever page is open; by keyboard
// alone.
import { SearchOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { searchConsole } from '@voltkeep/contract/search'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { pagePaths } from '../../lib/pages.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { reading } from '../../lib/wire/reading.ts'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { menus } from '../menus.ts'
import { deviceEntry, type Entry, functionEntries, pageEntries, userEntry, wordsOf } from './entries.ts'
import { forgetRecent, keepRecent, readRecent } from './recent.ts'
import styles from './SearchDialog.module.css'
import { searchTexts } from './search.texts.ts'

const typingPauseMs = 120
const perKind = 6

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const user = useCurrentUser()
  const navigate = useNavigate()
  const [keyword, setKeyword] = useState('')
  const [recent, setRecent] = useState(() => readRecent(user.id))
  const [activeKey, setActiveKey] = useState<string>()
  const listId = useId()
  const { groups, isFailed, isCurrent } = useGroups(keyword, recent)
  const entries = groups.flatMap((group) => group.entries)
  const active = entries.find(({ key }) => key === activeKey) ?? entries[0]
  const idOf = (entry: Entry) => `${listId}-${entry.key.replace(/[^\w-]/g, '_')}`

  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  const activeId = active && idOf(active)
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  const go = (entry: Entry) => {
    keepRecent(user.id, entry)
    onClose()
    void navigate({ to: entry.path, search: entry.search as never })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      const at = active ? entries.indexOf(active) : -1
      setActiveKey(entries[(at + step + entries.length) % entries.length]?.key)
    } else if (event.key === 'Enter' && active && isCurrent) {
      event.preventDefault()
      go(active)
    }
  }
  const words = searchTexts.keys
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
          aria-expanded={entries.length > 0}
          aria-controls={listId}
          aria-activedescendant={activeId}
          aria-autocomplete="list"
          placeholder={searchTexts.placeholder}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          value={keyword}
          onChange={(event) => {
            setKeyword(event.target.value)
            setActiveKey(undefined)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className={styles.close} onClick={onClose}>
          {words.close}
        </button>
      </div>
      <div id={listId} role="listbox" aria-label={searchTexts.title} className={styles.list}>
        {groups.map(({ kind, entries: some }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={kind} role="group" aria-labelledby={`${listId}-${kind}`}>
            <div id={`${listId}-${kind}`} className={styles.kind} role="presentation">
              {searchTexts.kinds[kind]}
            </div>
            {some.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's
              // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
              <div
                key={entry.key}
                id={idOf(entry)}
                role="option"
                aria-selected={entry === active}
                className={styles.entry}
                onPointerMove={() => setActiveKey(entry.key)}
                onClick={() => go(entry)}
              >
                <span className={entry.kind === 'device' ? `mono ${styles.title}` : styles.title}>
                  <Marked text={entry.title} keyword={keyword} />
                </span>
                <span className={styles.hint}>
                  <Marked text={entry.hint} keyword={keyword} />
                </span>
                {entry.isOnline !== undefined && <OnlineTag isOnline={entry.isOnline} />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {entries.length === 0 && isCurrent && keyword.trim() !== '' && (
        <div className={styles.nothing}>
          <p>{searchTexts.nothing(keyword.trim())}</p>
          <p className={styles.hint}>{searchTexts.nothingHint}</p>
        </div>
      )}
      {isFailed && <p className={styles.nothing}>{searchTexts.failed}</p>}
      <div className={styles.foot}>
        <span aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> {words.move}　<kbd>Enter</kbd> {words.go}　<kbd>Esc</kbd> {words.close}
        </span>
        {keyword.trim() === '' && recent.length > 0 && (
          <button
            type="button"
            className={styles.close}
            onClick={() => {
              forgetRecent(user.id)
              setRecent([])
            }}
          >
            {searchTexts.clear}
          </button>
        )}
        <span role="status" className="visually-hidden">
          {isCurrent && keyword.trim() !== '' ? searchTexts.count(entries.length) : ''}
        </span>
      </div>
    </dialog>
  )
}

interface Group {
  kind: keyof typeof searchTexts.kinds
  entries: Entry[]
}

/** The groups for a text; without one, the recent entries and the pages. */
function useGroups(keyword: string, recent: readonly Entry[]) {
  const user = useCurrentUser()
  const { routes } = useStore(menus)
  const paths = useStore(pagePaths)
  const asked = keyword.trim()
  const { debounced, isCurrent: isStill } = useDebounced(asked, typingPauseMs)
  const query = useQuery({
    ...reading(searchConsole, { keyword: debounced }),
    enabled: debounced !== '',
    // The rows stay while the next text is searched.
    placeholderData: (before) => before,
    retry: false,
    meta: { isQuiet: true },
  })
  const found = asked === '' ? undefined : query.data
  const devicePath = paths.get('equipment/list')
  const userPath = paths.get('system/user')
  const known = recent.filter(({ path }) => path === '/dashboard' || routes.has(path))
  const groups: Group[] = [
    { kind: 'recent' as const, entries: asked === '' ? known : [] },
    {
      kind: 'device' as const,
      entries: devicePath ? (found?.devices ?? []).map((device) => deviceEntry(device, devicePath)) : [],
    },
    {
      kind: 'user' as const,
      entries: userPath ? (found?.users ?? []).map((each) => userEntry(each, userPath)) : [],
    },
    {
      kind: 'page' as const,
      entries:
        asked === ''
          ? pageEntries(routes, '').filter(({ key }) => known.every((each) => each.key !== key))
          : pageEntries(routes, asked).slice(0, perKind),
    },
    { kind: 'function' as const, entries: functionEntries(user.tree, routes, asked).slice(0, perKind) },
  ]
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isFailed: asked !== '' && query.isError,
    isCurrent: isStill && (asked === '' || !query.isPlaceholderData) && !(asked !== '' && query.isLoading),
  }
}

/** The text with the first place of each searched word marked. */
function Marked({ text, keyword }: { text: string; keyword: string }) {
  const word = wordsOf(keyword).find((each) => text.toLowerCase().includes(each))
  if (!word) return text
  const at = text.toLowerCase().indexOf(word)
  return (
    <>
      {text.slice(0, at)}
      <mark className={styles.mark}>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  )
}
