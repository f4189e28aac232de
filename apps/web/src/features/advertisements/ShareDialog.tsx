import { type AdvertisementRow, shareAdvertisement, shareDays } from '@voltkeep/contract/advertisements'
import { Button, Modal, Segmented } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useWriting } from '../../lib/wire/writing.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { sizes } from '../../ui/theme/tokens.ts'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

const QrCode = lazy(() => import('../../ui/QrCode.tsx'))

const words = advertisementTexts.share

/** Creates an address under which anybody can see the picture for a number of days. */
export default function ShareDialog({ ad, onClose }: { ad: AdvertisementRow; onClose: () => void }) {
  const [days, setDays] = useState<(typeof shareDays)[number]>(7)
  const sharing = useWriting(shareAdvertisement, [], { said: false })
  const made = sharing.data
  const address = made && location.origin + made.path
  return (
    <Modal
      open
      title={words.title}
      width={sizes.dialog}
      centered
      closable={{ disabled: sharing.isPending }}
      keyboard={!sharing.isPending}
      mask={{ closable: !sharing.isPending }}
      onCancel={onClose}
      footer={
        <Button
          type={made ? 'default' : 'primary'}
          loading={sharing.isPending}
          onClick={() => sharing.mutate({ id: ad.id, days })}
        >
          {made ? words.another : words.make}
        </Button>
      }
    >
      <p className={styles.quiet}>{words.hint}</p>
      <div className={styles.shareDays}>
        <span id="share-days">{words.days}</span>
        <Segmented
          aria-labelledby="share-days"
          value={days}
          options={shareDays.map((value) => ({ value, label: words.day(value) }))}
          onChange={setDays}
        />
      </div>
      {made && address && (
        <div className={styles.shared} aria-live="polite">
          <Suspense fallback={<div className={styles.codePlace} aria-busy="true" />}>
            <QrCode text={address} title={words.code} />
          </Suspense>
          <div>
            <CopyText text={address} />
            <p className={styles.quiet}>{words.until(made.expiresTime)}</p>
          </div>
        </div>
      )}
    </Modal>
  )
}
