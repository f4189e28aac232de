// The versions of one device by part type, each with the numbers of the parts that run it.
import { useQuery } from '@tanstack/react-query'
import {
  type PartVersions,
  readDeviceVersions,
  readPartVersions,
  type VersionedDevice,
} from '@voltkeep/contract/deviceVersions'
import { Button, Modal, Skeleton } from 'antd'
import { connectionOf } from '../../lib/browser/connection.ts'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { RowButton } from '../../ui/buttons/RowActions.tsx'
import { StepButtons, type Steps, useStepKeys } from '../../ui/detail/steps.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { sizes } from '../../ui/theme/tokens.ts'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './deviceVersions.module.css'
import { deviceVersionTexts } from './deviceVersions.texts.ts'
import { shortNumbers } from './numbers.ts'
import { Versions } from './VersionSummary.tsx'

export default function DeviceVersionsDialog({
  id,
  isOpen,
  steps,
  onUpgrade,
  onClose,
}: {
  id: string
  isOpen: boolean
  steps: Steps
  /** Absent where the user may not upgrade. */
  onUpgrade?: ((device: VersionedDevice, softwareVersionId: string) => void) | undefined
  onClose: () => void
}) {
  const device = useQuery({
    ...reading(readDeviceVersions, { equipId: id }),
    retry: false,
    meta: { isQuiet: true },
  })
  const parts = useQuery({
    ...reading(readPartVersions, { equipId: id }),
    retry: false,
    meta: { isQuiet: true },
  })
  const error = device.error ?? parts.error
  useStepKeys(isOpen ? steps : undefined, { isDialog: true })
  return (
    <Modal
      open={isOpen}
      title={deviceVersionTexts.detail(device.data?.code ?? '')}
      width={sizes.dialog + 120}
      centered
      onCancel={onClose}
      footer={
        <div className={styles.foot}>
          <StepButtons steps={steps} />
          <Button onClick={onClose}>{texts.close}</Button>
        </div>
      }
    >
      {error ? (
        <EmptyState
          title={error.code === 404 ? deviceVersionTexts.notFound : texts.list.failed}
          {...(error.code !== 404 && {
            hint: error.message,
            action: (
              <Button
                onClick={() => {
                  void device.refetch()
                  void parts.refetch()
                }}
              >
                {texts.list.retry}
              </Button>
            ),
          })}
        />
      ) : !device.data || !parts.data ? (
        <Skeleton active title={false} />
      ) : (
        <>
          <p className={styles.device}>
            <OnlineTag isOnline={connectionOf(device.data)} />
            <span>{`${device.data.equipTypeName} · ${device.data.equipModelName}`}</span>
            <span>{device.data.operatorName}</span>
            {device.data.updateTime && <RelativeTime time={device.data.updateTime} />}
          </p>
          {parts.data.length === 0 ? (
            <EmptyState title={deviceVersionTexts.none} hint={deviceVersionTexts.noneHint} />
          ) : (
            <ul className={styles.parts}>
              {parts.data.map((kind) => (
                <Part
                  key={kind.partType}
                  of={kind}
                  onUpgrade={onUpgrade && ((softwareVersionId) => onUpgrade(device.data, softwareVersionId))}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </Modal>
  )
}

function Part({
  of: kind,
  onUpgrade,
}: {
  of: PartVersions
  onUpgrade?: ((softwareVersionId: string) => void) | undefined
}) {
  const { partTypeName, count, versions, newest, outdatedCount } = kind
  const hwVersions = [...new Set(kind.parts.map(({ hwVersion }) => hwVersion))].filter((one) => one !== null)
  return (
    <li className={styles.part}>
      <div className={styles.partHead}>
        <span className={styles.partName}>{partTypeName}</span>
        {count > 1 && <span className={styles.quiet}>{deviceVersionTexts.count(formatCount(count))}</span>}
        <span>
          <Versions versions={versions} count={count} />
        </span>
        {hwVersions.length > 0 && (
          <span className={styles.quiet}>
            {deviceVersionTexts.fields.hwVersion} <span className="mono">{hwVersions.join('、')}</span>
          </span>
        )}
        {newest && (
          <span className={styles.partAside}>
            {outdatedCount === 0 ? (
              <span className={styles.newest}>{deviceVersionTexts.isNewest}</span>
            ) : (
              <>
                <span>{deviceVersionTexts.newest(newest.version)}</span>
                {onUpgrade && (
                  <RowButton onClick={() => onUpgrade(newest.softwareVersionId)}>
                    {deviceVersionTexts.upgrade.action}
                  </RowButton>
                )}
              </>
            )}
          </span>
        )}
      </div>
      {versions.length > 1 && (
        <ul className={styles.versions}>
          {versions.map(({ version, addrIds }) => (
            <li key={version}>
              <span className="mono">{version}</span>
              <span className={styles.numbers}>{deviceVersionTexts.parts(shortNumbers(addrIds))}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
