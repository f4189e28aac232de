// What a batch would do, in figures: how many devices, who goes first, which values change, what is left out.
import type { ParameterBatchPreview } from '@voltkeep/contract/parameterBatches'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { ParameterValue } from '../../ui/cabinet/ParameterValue.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { skipLine } from './parameterBatches.words.ts'

const words = batchTexts.preview
/** Former values listed; the rest is counted together. */
const mostValues = 3

/** The figures of a preview, of a new batch or of a restoration. */
export function PreviewFigures({
  preview,
  isCounted = false,
  isTrialAsked = false,
  leftOutFile,
}: {
  preview: ParameterBatchPreview
  /** The number of devices is already shown next to the figures. */
  isCounted?: boolean
  /** Some devices are to go first. */
  isTrialAsked?: boolean
  /** Downloads the devices that are left out. */
  leftOutFile?: ReactNode
}) {
  const skipped = skipLine(preview.skipped)
  return (
    <>
      {!isCounted && (
        <p className={styles.plan}>
          {preview.devices > 0 ? words.devices(formatCount(preview.devices)) : words.nobody}
        </p>
      )}
      {preview.offline > 0 && <p className={styles.quiet}>{words.offline(formatCount(preview.offline))}</p>}
      {preview.trial && preview.trialUnknownCodes.length === 0 && (
        <p>{words.trial(formatCount(preview.trial.devices), formatCount(preview.trial.rest))}</p>
      )}
      {preview.trial && preview.trial.offline > 0 && (
        <p className={styles.leftOut}>{words.trialOffline(formatCount(preview.trial.offline))}</p>
      )}
      {preview.trialUnknownCodes.length > 0 ? (
        <p className={styles.failed}>{words.trialForeign(preview.trialUnknownCodes.join('、'))}</p>
      ) : (
        isTrialAsked &&
        preview.trial === null &&
        preview.devices > 0 && <p className={styles.leftOut}>{words.noTrial}</p>
      )}
      {preview.devices > 0 && (
        <ul className={styles.changes}>
          {preview.parameters.map((parameter) => (
            <Change key={parameter.id} of={parameter} />
          ))}
        </ul>
      )}
      {skipped && (
        <p className={styles.leftOut}>
          {skipped} {leftOutFile}
        </p>
      )}
    </>
  )
}

function Change({
  of: { id, name, value, changes, same, unknown, from },
}: {
  of: ParameterBatchPreview['parameters'][number]
}) {
  const named = from.slice(0, mostValues)
  const others = changes - named.reduce((sum, { devices }) => sum + devices, 0)
  return (
    <li>
      <span className={styles.goal}>
        {name} → {value === null ? batchTexts.ownFormer : <ParameterValue id={id} value={value} isCompact />}
      </span>
      <span className={styles.effects}>
        {changes > 0 && <span>{words.changes(formatCount(changes))}</span>}
        {named.length > 0 && (
          <span className={styles.from}>
            {words.from}
            {named.map(({ value: former, devices }) => (
              <span key={former} className={styles.fromValue}>
                <ParameterValue id={id} value={former} isCompact />
                <span>×{formatCount(devices)}</span>
              </span>
            ))}
            {others > 0 && (
              <span className={styles.fromValue}>
                {words.more} ×{formatCount(others)}
              </span>
            )}
          </span>
        )}
        {same > 0 && <span>{words.same(formatCount(same))}</span>}
        {unknown > 0 && <span>{words.unknown(formatCount(unknown))}</span>}
      </span>
    </li>
  )
}
