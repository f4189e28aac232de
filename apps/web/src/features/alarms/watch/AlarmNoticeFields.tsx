import { Switch } from 'antd'
import { useId } from 'react'
import { notify } from '../../../lib/notices.ts'
import { usePreference } from '../../../lib/preferences.ts'
import styles from './AlarmNoticeFields.module.css'
import { type AlarmNotice, canNotifyDesktop, playTones } from './attention.ts'
import { watchTexts } from './watch.texts.ts'

const { settings } = watchTexts
const off: AlarmNotice = { sound: false, desktop: false }

/** Choices for new critical alarms: sound and desktop notifications. */
export default function AlarmNoticeFields() {
  const [notice = off, choose] = usePreference('alarmNotice')
  const soundId = useId()
  const desktopId = useId()
  const change = (next: AlarmNotice) => choose(next.sound || next.desktop ? next : undefined)

  const chooseDesktop = async (isWanted: boolean) => {
    if (isWanted && (await Notification.requestPermission()) !== 'granted') {
      notify.error(settings.denied)
      return
    }
    change({ ...notice, desktop: isWanted })
  }
  return (
    <>
      <p className={styles.hint}>{settings.hint}</p>
      <div className={styles.choice}>
        <label htmlFor={soundId}>{settings.sound}</label>
        <Switch
          id={soundId}
          checked={notice.sound}
          onChange={(sound) => {
            if (sound) playTones()
            change({ ...notice, sound })
          }}
        />
      </div>
      <div className={styles.choice}>
        <label htmlFor={desktopId}>{settings.desktop}</label>
        <Switch
          id={desktopId}
          checked={notice.desktop}
          disabled={!canNotifyDesktop()}
          onChange={(isWanted) => void chooseDesktop(isWanted)}
        />
      </div>
      {!canNotifyDesktop() && <p className={styles.hint}>{settings.insecure}</p>}
    </>
  )
}
