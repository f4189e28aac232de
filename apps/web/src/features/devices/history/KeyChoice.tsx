// Which readings are drawn: those of the device one by one, those of compartments by field and number.
import { type CompartmentField, compartmentFields } from '@voltkeep/contract/compartments'
import { mostSeriesKeys } from '@voltkeep/contract/readingSeries'
import { compartmentKey, parseCompartmentKey, type ReadingRow } from '@voltkeep/contract/readings'
import { useState } from 'react'
import styles from './History.module.css'
import { historyTexts as words } from './history.texts.ts'

export function KeyChoice({
  readings,
  chosen,
  onChange,
}: {
  /** Those whose history is kept. */
  readings: readonly ReadingRow[]
  chosen: readonly string[]
  onChange: (keys: readonly string[]) => void
}) {
  const own = readings.filter(({ key }) => parseCompartmentKey(key) === null)
  const ofBins = readings.flatMap(({ key }) => parseCompartmentKey(key) ?? [])
  const fields = [...new Set(ofBins.map(({ field }) => field))]
  const [picked, setField] = useState<CompartmentField>()
  const field = picked ?? fields[0]
  const numbers = ofBins.filter((one) => one.field === field).map(({ no }) => no)
  const toggle = (key: string) =>
    onChange(chosen.includes(key) ? chosen.filter((one) => one !== key) : [...chosen, key])
  const chip = (key: string, label: string) => {
    const isChosen = chosen.includes(key)
    return (
      <button
        key={key}
        type="button"
        className={styles.chip}
        aria-pressed={isChosen}
        disabled={!isChosen && chosen.length >= mostSeriesKeys}
        onClick={() => toggle(key)}
      >
        {label}
      </button>
    )
  }
  return (
    <details className={styles.choice}>
      <summary>
        {words.choose}
        <span className={styles.quiet}>{words.chosen(chosen.length, mostSeriesKeys)}</span>
      </summary>
      {own.length > 0 && (
        <fieldset className={styles.chips} aria-label={words.own}>
          <span className={styles.of}>{words.own}</span>
          {own.map(({ key, name }) => chip(key, name))}
        </fieldset>
      )}
      {field && (
        <fieldset className={styles.chips} aria-label={words.bins}>
          <span className={styles.of}>{words.bins}</span>
          <select
            className={styles.field}
            aria-label={words.bins}
            value={field}
            onChange={(event) => setField(event.target.value as CompartmentField)}
          >
            {fields.map((each) => (
              <option key={each} value={each}>
                {compartmentFields[each].name}
              </option>
            ))}
          </select>
          {numbers.map((no) => chip(compartmentKey(no, field), words.bin(no)))}
        </fieldset>
      )}
    </details>
  )
}
