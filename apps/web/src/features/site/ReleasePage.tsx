// The public release notes of each version, the newest first, in one of four languages.
import { remarkLanguages } from '@voltkeep/contract/firmware'
import { listReleases, type ReleaseRow } from '@voltkeep/contract/site'
import { useEffect, useState } from 'react'
import { type CallError, call } from '../../lib/wire/call.ts'
import { releaseTexts } from './releases.texts.ts'
import { SitePage } from './SitePage.tsx'
import styles from './site.module.css'
import { languageOfVisitor, type SiteLanguage } from './site.texts.ts'

const pageSize = 20

/** The language in `?lang=`, which the switch writes; else the visitor's. */
function languageOfAddress(): SiteLanguage {
  const asked = new URLSearchParams(location.search).get('lang')
  return remarkLanguages.find((one) => one === asked) ?? languageOfVisitor()
}

export function ReleasePage() {
  const [language, setLanguage] = useState(languageOfAddress)
  const { rows, total, failure, isReading, more } = useReleases(language)
  const words = releaseTexts[language]
  const choose = (next: SiteLanguage) => {
    const search = new URLSearchParams(location.search)
    search.set('lang', next)
    history.replaceState(history.state, '', `${location.pathname}?${search}`)
    setLanguage(next)
  }
  return (
    <SitePage
      title={words.title}
      lang={language}
      aside={
        <fieldset className={styles.languages} aria-label={words.languages}>
          {remarkLanguages.map((one) => (
            <button
              key={one}
              type="button"
              className="link-button"
              lang={one === 'zh' ? 'zh-CN' : one}
              aria-pressed={one === language}
              onClick={() => choose(one)}
            >
              {releaseTexts[one].language}
            </button>
          ))}
        </fieldset>
      }
    >
      <div className={styles.releases} aria-busy={isReading}>
        <h1>{words.title}</h1>
        <p className={styles.updated}>{words.hint}</p>
        {rows.map((row) => (
          <Release key={keyOf(row)} row={row} language={language} />
        ))}
        {failure && (
          <p role="alert" className={styles.failure}>
            {failure.message || words.failed}
          </p>
        )}
        {total === 0 && !failure && <p>{words.none}</p>}
        <div className={styles.action} role="status">
          {isReading ? (
            <span className={styles.quiet}>{words.reading}</span>
          ) : (
            (failure || rows.length < (total ?? 0)) && (
              <button type="button" className="button" onClick={more}>
                {failure ? words.retry : words.more}
              </button>
            )
          )}
        </div>
      </div>
    </SitePage>
  )
}

function Release({ row, language }: { row: ReleaseRow; language: SiteLanguage }) {
  const { parts, devices } = releaseTexts[language]
  const part = parts[row.partType] ?? row.partTypeName
  const device = devices[row.equipClassify] ?? row.equipTypeName
  return (
    <article className={styles.release}>
      <h2>
        {part} <span className="mono">V{row.version}</span>
      </h2>
      <p className={styles.of}>
        {[device, ...row.models].join(' · ')}
        <time dateTime={row.releaseTime.slice(0, 10)}>{row.releaseTime.slice(0, 10)}</time>
      </p>
      <p className={styles.note}>{row.note}</p>
    </article>
  )
}

/** Releases have no id: the call returns one of several that are equal in all these fields. */
const keyOf = ({ version, partType, equipTypeName, models, note }: ReleaseRow) =>
  JSON.stringify([version, partType, equipTypeName, models, note])

interface Reading {
  rows: readonly ReleaseRow[]
  /** Unknown until the first page has arrived. */
  total?: number
  failure?: CallError
  isReading: boolean
}

/** Loads page by page in one language; another language starts again. */
function useReleases(language: SiteLanguage): Reading & { more: () => void } {
  const [state, setState] = useState<Reading>({ rows: [], isReading: true })
  const [wanted, setWanted] = useState({ language, pageNum: 1, tries: 0 })
  if (wanted.language !== language) {
    setWanted({ language, pageNum: 1, tries: 0 })
    setState({ rows: [], isReading: true })
  }
  useEffect(() => {
    const abort = new AbortController()
    const { pageNum } = wanted
    call(listReleases, { language: wanted.language, pageNum, pageSize }, { signal: abort.signal }).then(
      ({ rows, total }) =>
        setState((before) => ({
          rows: pageNum === 1 ? rows : withoutRepetition([...before.rows, ...rows]),
          total,
          isReading: false,
        })),
      (failure: CallError) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, failure, isReading: false }))
      },
    )
    return () => abort.abort()
  }, [wanted])
  return {
    ...state,
    more() {
      setState((before) => ({ ...before, failure: undefined, isReading: true }))
      setWanted(({ pageNum, tries }) =>
        state.failure
          ? { language, pageNum, tries: tries + 1 }
          : { language, pageNum: pageNum + 1, tries: 0 },
      )
    },
  }
}

/** A release that is added between two reads shifts rows to the next page: they are dropped here. */
const withoutRepetition = (rows: readonly ReleaseRow[]) => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
]
