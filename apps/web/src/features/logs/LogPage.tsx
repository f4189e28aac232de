// Log extraction: the form, the progress and text of one extraction, and the history.
import { WarningOutlined } from '@ant-design/icons'
import { useNavigate } from '@tanstack/react-router'
import { DeviceCode } from '@voltkeep/contract/devices'
import { id } from '@voltkeep/contract/fields'
import { startLogExtraction } from '@voltkeep/contract/logExtraction'
import { lazy, Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { usePage } from '../../lib/pages.ts'
import { useUrlState } from '../../lib/urlState.ts'
import type { Opening } from '../../ui/detail/useWalk.ts'
import { Permitted } from '../../ui/Permitted.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import { ExtractionForm } from './ExtractionForm.tsx'
import { ExtractionPanel } from './ExtractionPanel.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const ExtractionHistory = lazy(() => import('./ExtractionHistory.tsx'))

const LogSearch = z.object({
  tab: z._default(z.enum(['extract', 'history']), 'extract'),
  /** The extraction whose progress or text is shown. */
  extraction: z.optional(id()),
  /** The preset device of the form. */
  code: z.optional(DeviceCode),
})

export default function LogPage() {
  const [{ tab, extraction, code }] = useUrlState(LogSearch)
  const navigate = useNavigate()
  // The other tab starts without the filters of this one.
  const go = (search: object, opening?: Opening) =>
    void navigate({ to: '.', search: search as never, ...opening })
  const open = (opened: string, opening?: Opening) => go({ extraction: opened }, opening)
  const tabs = (
    <Tabs
      label={logTexts.tabs}
      active={tab}
      onChange={(next) => go(next === 'extract' ? {} : { tab: next })}
      tabs={[
        { key: 'extract', title: logTexts.extract },
        { key: 'history', title: logTexts.history },
      ]}
    />
  )
  if (tab === 'history') {
    return (
      <Suspense fallback={<Waiting isPage />}>
        <ExtractionHistory head={tabs} onOpen={open} onExtract={() => go({})} />
      </Suspense>
    )
  }
  return <Extract tabs={tabs} extraction={extraction} code={code} onOpen={open} />
}

function Extract({
  tabs,
  extraction,
  code,
  onOpen,
}: {
  tabs: React.ReactNode
  extraction: string | undefined
  code: string | undefined
  onOpen: (extraction: string, opening?: Opening) => void
}) {
  const { title } = usePage()
  const isNarrow = useMedia(narrowQuery)
  /**
   * Undefined until the user chooses. On a phone, the form is closed while an extraction is open: there is no room
   * for both.
   */
  const [isFormWanted, setFormWanted] = useState<boolean>()
  const isFormOpen = isFormWanted ?? !(isNarrow && extraction !== undefined)
  return (
    <section className={styles.page} aria-label={title}>
      <header className={styles.head}>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.warning} role="note">
          <WarningOutlined aria-hidden="true" /> {logTexts.warning}
        </p>
      </header>
      {tabs}
      <div className={styles.columns}>
        <Permitted code={startLogExtraction.access}>
          <div className={styles.formColumn} hidden={!isFormOpen}>
            <ExtractionForm
              code={code}
              onStarted={(started) => {
                setFormWanted(undefined)
                onOpen(started)
              }}
            />
          </div>
        </Permitted>
        <ExtractionPanel
          id={extraction}
          isFormOpen={isFormOpen}
          onToggleForm={() => setFormWanted(!isFormOpen)}
          onOpen={onOpen}
        />
      </div>
    </section>
  )
}
