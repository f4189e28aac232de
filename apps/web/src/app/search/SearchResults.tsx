// What the search finds: groups of entries, walked by the keys of the field above them. Its code comes after the field.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { searchConsole } from '@voltkeep/contract/search'
import { useEffect, useImperativeHandle, useState } from 'react'
import { pagePaths } from '../../lib/pages.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { reading } from '../../lib/wire/reading.ts'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { menus } from '../menus.ts'
import { type Entry, foundEntries, functionEntries, pageEntries, wordsOf } from './entries.ts'
import type { ResultsProps } from './listing.ts'
import { forgetRecent, keepRecent, readRecent } from './recent.ts'
import styles from './SearchDialog.module.css'
import { searchTexts } from './search.texts.ts'

const typingPauseMs = 120
const perKind = 6

export default function SearchResults({
  listId,
  keyword,
  keys,
  enteredRef,
  onListed,
  onClose,
}: ResultsProps) {
  const user = useCurrentUser()
  const navigate = useNavigate()
  const [recent, setRecent] = useState(() => readRecent(user.id))
  const [chosen, setChosen] = useState<{ key: string | undefined; keyword: string }>()
  const { groups, isFailed, isCurrent } = useGroups(keyword, recent)
  const entries = groups.flatMap((group) => group.entries)
  // Another text begins at its first entry.
  const activeKey = chosen?.keyword === keyword ? chosen.key : undefined
  const setActiveKey = (key: string | undefined) => setChosen({ key, keyword })
  const active = entries.find(({ key }) => key === activeKey) ?? entries[0]
  const idOf = (entry: Entry) => `${listId}-${entry.key.replace(/[^\w-]/g, '_')}`
  const activeId = active && idOf(active)
  const hasEntries = entries.length > 0

  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
    onListed({ activeId, hasEntries })
  }, [activeId, hasEntries, onListed])

  const go = (entry: Entry) => {
    keepRecent(user.id, entry)
    onClose()
    void navigate({ to: entry.path, search: entry.search as never })
  }
  const enter = () => {
    if (enteredRef.current !== keyword || !isCurrent) return
    enteredRef.current = undefined
    if (active) go(active)
  }
  // Once the results of the text are there.
  useEffect(enter)
  useImperativeHandle(keys, () => ({
    step(by) {
      const at = active ? entries.indexOf(active) : -1
      setActiveKey(entries[(at + by + entries.length) % entries.length]?.key)
    },
    enter,
  }))
  const words = searchTexts.keys
  return (
    <>
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
                <span className={entry.isCode ? `mono ${styles.title}` : styles.title}>
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
    </>
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
  const known = recent.filter(({ path }) => path === '/dashboard' || routes.has(path))
  const groups: Group[] = [
    { kind: 'recent' as const, entries: asked === '' ? known : [] },
    ...(found ? foundEntries(found, paths) : []),
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
