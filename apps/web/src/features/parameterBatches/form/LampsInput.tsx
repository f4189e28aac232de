import { AppstoreOutlined } from '@ant-design/icons'
import { indicatorNames, lamps, lampsOf } from '@voltkeep/contract/parameters'
import { useId, useState } from 'react'
import { Lamp, shortIndicatorNames } from '../../../ui/cabinet/Lamp.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import styles from './editors.module.css'

const words = batchTexts.lamps
/** Stands for all lamps. */
const all = -1

export interface LampsInputProps {
  label: string
  /** One digit per lamp. */
  value: string
  onChange: (value: string) => void
}

/**
 * Sets the indicator lamps of a cabinet, one by one or all at once: the upper row chooses the lamp, the lower one its
 * light. Both are radio groups, so that arrow keys work.
 */
export function LampsInput({ label, value, onChange }: LampsInputProps) {
  const name = useId()
  const [chosen, setChosen] = useState(0)
  const codes = (lampsOf(value) ?? []).map(({ code }) => code)
  const present = chosen === all ? (new Set(codes).size === 1 ? codes[0] : undefined) : codes[chosen]
  const shine = (code: number) =>
    onChange(codes.map((before, at) => (chosen === all || chosen === at ? code : before)).join(''))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would take the field's label for nothing
    <div role="group" aria-label={label} className={styles.lampsInput}>
      <div role="radiogroup" aria-label={words.which} className={styles.indicators}>
        {codes.map((code, at) => (
          <label
            key={indicatorNames[at]}
            className={styles.indicator}
            data-chosen={chosen === at || undefined}
          >
            <input
              type="radio"
              name={`${name}-lamp`}
              className={styles.radio}
              checked={chosen === at}
              onChange={() => setChosen(at)}
              aria-label={words.lamp(indicatorNames[at] ?? '', lamps[code]?.name ?? '')}
            />
            <span className={styles.indicatorLamp}>
              <Lamp code={code} isPicture />
            </span>
            <span aria-hidden="true">{shortIndicatorNames[at]}</span>
          </label>
        ))}
        <label className={styles.indicator} data-chosen={chosen === all || undefined}>
          <input
            type="radio"
            name={`${name}-lamp`}
            className={styles.radio}
            checked={chosen === all}
            onChange={() => setChosen(all)}
            aria-label={words.allLamps}
          />
          <span className={styles.indicatorLamp} aria-hidden="true">
            <AppstoreOutlined />
          </span>
          <span aria-hidden="true">{words.all}</span>
        </label>
      </div>
      <div role="radiogroup" aria-label={words.shines} className={styles.shines}>
        {lamps.map(({ code, name: word }) => (
          <label key={code} className={styles.shine} data-chosen={present === code || undefined}>
            <input
              type="radio"
              name={`${name}-shine`}
              className={styles.radio}
              checked={present === code}
              onChange={() => shine(code)}
              aria-label={word}
            />
            <Lamp code={code} isPicture />
            <span aria-hidden="true">{words.short(word)}</span>
          </label>
        ))}
      </div>
    </div>
  )
}
