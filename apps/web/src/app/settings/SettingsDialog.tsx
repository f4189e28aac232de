// 个人设置: what a user chooses for oneself, in one place. Each choice applies at once.
import { Button, Modal, Radio } from 'antd'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import AlarmNoticeFields from '../../features/alarms/watch/AlarmNoticeFields.tsx'
import { chooseTheme, themeChoices, useThemeChoice } from '../../lib/browser/theme.ts'
import { usePreference } from '../../lib/preferences.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import ContactFields from './ContactFields.tsx'
import styles from './SettingsDialog.module.css'
import { settingsTexts } from './settings.texts.ts'

const LanguageField = lazy(() => import('./LanguageField.tsx'))

const words = settingsTexts
const { densities } = texts.list.settings
/** Of the pages, which are built with the release. */
const version = `${texts.product.name} ${import.meta.env.VITE_VERSION}`

export interface SettingsDialogProps {
  onClose: () => void
  /** The form of a new password takes the dialog's place. */
  onChangePassword: () => void
  /** Without it the user sees no alarms. */
  seesAlarms: boolean
}

export default function SettingsDialog({ onClose, onChangePassword, seesAlarms }: SettingsDialogProps) {
  const { userName, loginName } = useCurrentUser()
  const [isOpen, setOpen] = useState(true)
  const theme = useThemeChoice()
  const [density = 'normal', chooseDensity] = usePreference('density')
  return (
    <Modal
      open={isOpen}
      title={words.title}
      width={520}
      centered
      onCancel={() => setOpen(false)}
      afterClose={onClose}
      footer={
        <div className={styles.foot}>
          <span className={styles.version}>{version}</span>
          <Button onClick={() => setOpen(false)}>{texts.close}</Button>
        </div>
      }
    >
      <p className={styles.who}>{texts.layout.who(userName, loginName)}</p>
      <Setting name={words.theme.name} hint={words.theme.hint}>
        {(label) => (
          <Radio.Group
            aria-labelledby={label}
            optionType="button"
            value={theme}
            options={themeChoices.map((each) => ({ value: each, label: texts.theme[each] }))}
            onChange={({ target }) => chooseTheme(target.value)}
          />
        )}
      </Setting>
      <Setting name={words.language}>
        {(label) => (
          <Suspense>
            <LanguageField labelledBy={label} />
          </Suspense>
        )}
      </Setting>
      <Setting name={words.density.name}>
        {(label) => (
          <Radio.Group
            aria-labelledby={label}
            optionType="button"
            value={density}
            options={(['normal', 'compact'] as const).map((each) => ({
              value: each,
              label: densities[each],
            }))}
            onChange={({ target }) => chooseDensity(target.value === 'normal' ? undefined : target.value)}
          />
        )}
      </Setting>
      {seesAlarms && <Setting name={words.notice}>{() => <AlarmNoticeFields />}</Setting>}
      {seesAlarms && <Setting name={words.contacts.name}>{() => <ContactFields />}</Setting>}
      <Setting name={words.password.name}>
        {() => <Button onClick={onChangePassword}>{texts.session.changePassword}</Button>}
      </Setting>
    </Modal>
  )
}

/** A setting: its name at the left, above on a phone; its control. */
function Setting({
  name,
  hint,
  children,
}: {
  name: string
  hint?: string
  children: (labelId: string) => ReactNode
}) {
  const id = useId()
  return (
    <section className={styles.setting} aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <div>
        {children(id)}
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
    </section>
  )
}
