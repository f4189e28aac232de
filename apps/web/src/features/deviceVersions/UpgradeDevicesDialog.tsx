// The form that upgrades single devices at once.
import { useNavigate } from '@tanstack/react-router'
import { listUpgradeTasks, upgradeDevices } from '@voltkeep/contract/upgrades'
import { Input } from 'antd'
import * as z from 'zod/mini'
import { formatCount } from '../../lib/format.ts'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import { PackageSelect, usePackages } from '../../ui/choices/PackageSelect.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './deviceVersions.module.css'
import { deviceVersionTexts } from './deviceVersions.texts.ts'

const { upgrade: words } = deviceVersionTexts

/** A device as the confirmation shows it. */
export interface UpgradedDevice {
  id: string
  code: string
  isOnline: 0 | 1
  equipTypeId: string
  equipTypeName: string
}

const { softwareVersionIds: _ids, remark } = upgradeDevices.input.shape
const UpgradeForm = z.object({
  softwareVersionIds: z.array(z.string(), words.packagesMissing).check(z.minLength(1, words.packagesMissing)),
  remark,
})

/** Upgrades devices of one type immediately, and opens the task that does it. */
export default function UpgradeDevicesDialog({
  devices,
  softwareVersionId,
  onClose,
}: {
  devices: readonly UpgradedDevice[]
  /** The preselected package. */
  softwareVersionId?: string | undefined
  onClose: () => void
}) {
  const navigate = useNavigate()
  const tasksPath = useStore(pagePaths).get('upgrade/upgradeTask')
  const [first] = devices
  const isMixed = devices.some(({ equipTypeId }) => equipTypeId !== first?.equipTypeId)
  const packages = usePackages(first?.equipTypeId)
  const offlineCount = devices.filter(({ isOnline }) => isOnline === 0).length
  const what =
    devices.length === 1 && first
      ? words.one(first.code, first.equipTypeName)
      : words.many(formatCount(devices.length), first?.equipTypeName ?? '')
  return (
    <FormDialog
      title={words.title}
      endpoint={upgradeDevices}
      stale={[listUpgradeTasks]}
      schema={UpgradeForm}
      initial={{ softwareVersionIds: softwareVersionId === undefined ? [] : [softwareVersionId] }}
      canSend={() => !isMixed}
      toInput={(values) => ({ ...values, equipIds: devices.map(({ id }) => id) })}
      said={words.done}
      submitLabel={words.confirmAction}
      confirm={({ softwareVersionIds }) => ({
        title: words.title,
        body: (
          <>
            <p>
              {words.confirm(
                what,
                packages.rows
                  .filter(({ id }) => softwareVersionIds.includes(id))
                  .map(({ partTypeName, version }) => `${partTypeName} ${version}`)
                  .join('、'),
              )}
            </p>
            {offlineCount > 0 && <p>{words.offline(formatCount(offlineCount))}</p>}
          </>
        ),
        confirmLabel: words.confirmAction,
      })}
      onDone={({ id, approvalId }) => {
        if (tasksPath !== undefined && approvalId === undefined)
          void navigate({ to: tasksPath, search: { task: id } as never })
      }}
      onClose={onClose}
      intro={
        <p className={isMixed ? styles.wrong : styles.chosen} role={isMixed ? 'alert' : undefined}>
          {isMixed ? words.mixed : what}
        </p>
      }
    >
      {({ Field }) => (
        <>
          <Field name="softwareVersionIds" label={words.packages} hint={words.packagesHint}>
            <PackageSelect packages={packages} />
          </Field>
          <Field name="remark" label={words.remark}>
            <Input.TextArea maxLength={200} autoSize={{ minRows: 1, maxRows: 4 }} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
