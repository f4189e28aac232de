// How many devices data permissions would leave, beside their form.
import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { explainPermissions, previewPermissions } from '@voltkeep/contract/permissions'
import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import { isComposing } from '../../../lib/browser/composing.ts'
import { formatCount } from '../../../lib/format.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { permissionTexts } from '../permissions.texts.ts'
import styles from '../users.module.css'
import { type Chosen, entitiesOf } from './permissions.entities.ts'

const words = permissionTexts.preview
/** Debounced, so that choosing three regions makes one call. */
const debounceMs = 300

/**
 * The effect of the choices before they are saved: the number of devices, and why a given device is included or not.
 */
export function PermissionPreview({
  of,
  isSystem = false,
  chosen,
}: {
  /** An existing user, or the organization of a new one. */
  of: { userId: string } | { organizationId: string }
  isSystem?: boolean
  /** Undefined: what a new user sees without own entries. */
  chosen: Chosen | undefined
}) {
  const entities = chosen && entitiesOf(chosen)
  const isNothingChosen = entities?.length === 0
  // An empty choice is sent as well: without entries, the server would count by the saved ones.
  const {
    debounced: { authorityEntities },
  } = useDebounced(
    { authorityEntities: isNothingChosen ? [{ authorityType: 'O' as const, value: [] }] : entities },
    debounceMs,
  )
  const preview = useQuery({
    ...reading(previewPermissions, { ...of, authorityEntities }),
    placeholderData: keepPreviousData,
  })
  const [code, setCode] = useState('')
  const [asked, setAsked] = useState('')
  const why = useQuery({
    ...reading(explainPermissions, { ...of, authorityEntities, code: asked }),
    placeholderData: keepPreviousData,
    enabled: asked !== '',
    retry: false,
    // The error is shown here, not as an error of the page.
    meta: { isQuiet: true },
  })
  const codeId = useId()
  const explanation = why.isError ? undefined : why.data

  return (
    <section className={styles.preview} aria-label={words.title}>
      <h2>{words.title}</h2>
      <div aria-live="polite">
        {words.willSee}
        <strong className={styles.count} data-old={preview.isPlaceholderData || undefined}>
          {preview.data ? words.count(formatCount(preview.data.count)) : '…'}
        </strong>
        {preview.data && (
          <span className={styles.quiet}>{words.ofTotal(formatCount(preview.data.total))}</span>
        )}
      </div>
      {isSystem && <p className={styles.quiet}>{words.system}</p>}
      {!isSystem && isNothingChosen && <p className={styles.quiet}>{words.nothingChosen}</p>}
      <label htmlFor={codeId} className={styles.codeLabel}>
        {words.code}
      </label>
      <div className={styles.why}>
        <Input
          id={codeId}
          value={code}
          maxLength={32}
          placeholder={words.codeHint}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setCode(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
            // The field is inside the form, which Enter would send.
            event.preventDefault()
            setAsked(code.trim())
          }}
        />
        <Button disabled={code.trim() === ''} onClick={() => setAsked(code.trim())}>
          {words.why}
        </Button>
      </div>
      <div role="status">
        {asked !== '' && why.isError && <p className={styles.verdict}>{why.error.message}</p>}
        {asked !== '' && explanation && (
          <>
            <p className={styles.verdict}>
              {explanation.isVisible ? words.visible(explanation.code) : words.hidden(explanation.code)}
            </p>
            <ul className={styles.checks}>
              {explanation.checks.map(({ by, isPassed, reason }) => (
                <li key={by} data-failed={!isPassed || undefined}>
                  {isPassed ? (
                    <CheckCircleFilled aria-label={words.passed} />
                  ) : (
                    <CloseCircleFilled aria-label={words.failed} />
                  )}
                  <span>{reason}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
