// A choice of devices: by filters, by codes one per line, or all. Shows how many they are now, and which codes name
// none. All devices are a choice of its own: filters that have been cleared choose none. A control of a form: its value
// is `DeviceChoice` of the contract.
import { useQuery } from '@tanstack/react-query'
import { countChosenDevices } from '@voltkeep/contract/deviceChoice'
import type { DataFor, InputFor } from '@voltkeep/contract/endpoint'
import { hasCondition } from '@voltkeep/contract/narrowing'
import { useEffect, useId, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { reading } from '../../lib/wire/reading.ts'
import { copyText } from '../CopyText.tsx'
import { CodeBox } from '../list/filter/CodeBox.tsx'
import { codesOf } from '../list/filter/codes.ts'
import type { Draft } from '../list/useDraft.ts'
import { Tabs } from '../Tabs.tsx'
import { deviceChoiceTexts as words } from '../work/deviceChoice.texts.ts'
import styles from './DeviceChoice.module.css'
import { DeviceFilters } from './DeviceFilters.tsx'

/** As it is sent: filters, codes comma-joined, or `isAll`. */
export type ChosenDevices = InputFor<typeof countChosenDevices>

/** Devices that are online by default: the others would not answer. */
const firstFilters = { isOnline: 1 }

export interface DeviceChoiceProps {
  id?: string
  value?: ChosenDevices | undefined
  onChange?: (chosen: ChosenDevices) => void
}

type Way = 'filters' | 'codes' | 'all'

const wayOf = ({ codes, isAll }: ChosenDevices = {}): Way =>
  isAll === 1 ? 'all' : codes === undefined ? 'filters' : 'codes'

export function DeviceChoice({ id, value, onChange }: DeviceChoiceProps) {
  const codesId = useId()
  const [way, setWay] = useState(() => wayOf(value))
  // The input of either way stays while the other one is shown.
  const [filters, setFilters] = useState<Record<string, unknown>>(value?.filters ?? firstFilters)
  const [codes, setCodes] = useState(() => codesOf(value?.codes))

  const give = (nextWay: Way, nextFilters = filters, nextCodes = codes) => {
    setWay(nextWay)
    setFilters(nextFilters)
    setCodes(nextCodes)
    onChange?.(chosenBy(nextWay, nextFilters, nextCodes))
  }
  // A form that begins without a value gets the shown one.
  useEffect(() => {
    if (value === undefined) onChange?.({ filters: firstFilters })
  }, [value, onChange])

  const draft: Draft = {
    values: filters,
    cleared: firstFilters,
    set: (changed) => give('filters', withoutUndefined({ ...filters, ...changed })),
    problem: () => undefined,
    submit: () => true,
    onSubmit: (event) => event.preventDefault(),
    reset: () => give('filters', firstFilters),
  }
  return (
    <div id={id} className={styles.choice}>
      <Tabs
        label={words.way}
        active={way}
        onChange={(next) => give(next)}
        tabs={[
          { key: 'filters', title: words.byFilters },
          { key: 'codes', title: words.byCodes },
          { key: 'all', title: words.all },
        ]}
      />
      {way === 'filters' && (
        <div className={styles.filters}>
          <DeviceFilters of={draft} hasRegionFirst />
        </div>
      )}
      {way === 'codes' && (
        <>
          <label htmlFor={codesId} className="visually-hidden">
            {texts.fields.code}
          </label>
          <CodeBox id={codesId} value={codes} onChange={(next) => give('codes', filters, next)} />
        </>
      )}
      {/* By its way: a count of the one is none of the other. */}
      {way === 'filters' && !hasCondition(filters) ? (
        <p className={styles.count}>{words.noFilters}</p>
      ) : (
        <Count
          key={way}
          way={way}
          chosen={chosenBy(way, filters, codes)}
          codeCount={way === 'codes' ? codes.length : undefined}
        />
      )}
    </div>
  )
}

/** The number of devices chosen now. */
function Count({
  way,
  chosen,
  codeCount,
}: {
  way: Way
  chosen: ChosenDevices
  codeCount: number | undefined
}) {
  const { debounced: asked, isCurrent } = useDebounced(chosen)
  const query = useQuery({
    ...reading(countChosenDevices, asked),
    placeholderData: (previous: DataFor<typeof countChosenDevices> | undefined) => previous,
    enabled: asked.codes === undefined || codesOf(asked.codes).length > 0,
    retry: false,
  })
  if (codeCount === 0) return <p className={styles.count}>{words.noCodes}</p>
  if (query.error) {
    return (
      <p className={styles.count} role="alert">
        {query.error.message}{' '}
        <button type="button" className="link-button" onClick={() => void query.refetch()}>
          {texts.list.retry}
        </button>
      </p>
    )
  }
  const isOld = query.isPlaceholderData || !isCurrent
  const { count, unknownCodes = [] } = query.data ?? {}
  return (
    <div className={styles.count} data-old={isOld || undefined} aria-live="polite" aria-busy={isOld}>
      {count === undefined ? (
        words.counting
      ) : (
        <>
          {words.counted[way]} <strong>{formatCount(count)}</strong> {words.devices}
        </>
      )}
      {codeCount !== undefined && unknownCodes.length > 0 && (
        <div className={styles.unknown}>
          <span className={styles.unknownHead}>
            {words.unknown(formatCount(unknownCodes.length))}
            <button
              type="button"
              className="link-button"
              onClick={() => void copyText(unknownCodes.join('\n'))}
            >
              {words.copyUnknown}
            </button>
          </span>
          <ul className="mono">
            {unknownCodes.slice(0, mostListed).map((code) => (
              <li key={code}>{code}</li>
            ))}
            {unknownCodes.length > mostListed && (
              <li>{words.more(formatCount(unknownCodes.length - mostListed))}</li>
            )}
          </ul>
        </div>
      )}
    </div>
  )
}

/** The number of unknown codes that are listed; the copy has all of them. */
const mostListed = 50

function chosenBy(way: Way, filters: Record<string, unknown>, codes: readonly string[]): ChosenDevices {
  if (way === 'all') return { isAll: 1 }
  return way === 'filters' ? { filters } : { codes: codes.join(',') }
}

const withoutUndefined = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))

const isEmpty = (value: unknown) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
