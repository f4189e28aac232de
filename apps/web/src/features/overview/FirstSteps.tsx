import { importDevices } from '@voltkeep/contract/deviceImport'
import { insertDevice } from '@voltkeep/contract/devices'
import { useCurrentUser } from '../../lib/session.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { devicePage } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'

const words = overviewTexts.first

/** What to set up first in an empty installation. */
export function FirstSteps() {
  const { functionCodes } = useCurrentUser()
  const mayAdd = functionCodes.includes(insertDevice.access)
  const mayImport = functionCodes.includes(importDevices.access)
  return (
    <EmptyState
      title={words.title}
      hint={mayAdd || mayImport ? words.hint : words.nobody}
      action={
        (mayAdd || mayImport) && (
          <div className={styles.first}>
            {mayAdd && (
              <PageLink page={devicePage} search={{ dialog: 'add' }} className="button primary">
                {words.register}
              </PageLink>
            )}
            {mayImport && (
              <PageLink page={devicePage} search={{ dialog: 'import' }} className="button">
                {words.import}
              </PageLink>
            )}
            <p className={styles.quiet}>{words.demo}</p>
          </div>
        )
      }
    />
  )
}
