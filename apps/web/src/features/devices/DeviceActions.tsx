import {
  type DeviceRow,
  deleteDevice,
  listDevices,
  readDevice,
  renewDeviceSecret,
  updateDevice,
} from '@voltkeep/contract/devices'
import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/ConfirmButton.tsx'
import { DeleteButton } from '../../ui/DeleteButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { RowActions } from '../../ui/RowActions.tsx'
import type { FreshSecret } from './devices.secret.ts'

const { remove, secret } = texts.devices

export interface DeviceActionsProps {
  device: DeviceRow
  onEdit: (device: DeviceRow) => void
  onSecret: (fresh: FreshSecret) => void
  onDeleted?: () => void
}

/** What may be done to one device, each for who may. */
export function DeviceActions({ device, onEdit, onSecret, onDeleted }: DeviceActionsProps) {
  const deleting = useWriting(deleteDevice, [listDevices], { said: remove.done })
  const renewing = useWriting(renewDeviceSecret, [readDevice], { said: false })
  return (
    <RowActions>
      <Permitted code={updateDevice.access}>
        <Button type="link" size="small" onClick={() => onEdit(device)}>
          {texts.devices.edit}
        </Button>
      </Permitted>
      <Permitted code={renewDeviceSecret.access}>
        <ConfirmButton
          type="link"
          size="small"
          title={secret.renewTitle}
          body={
            <>
              <p>{secret.renewAsk(device.code)}</p>
              <p>{secret.renewWarn}</p>
            </>
          }
          go={secret.renew}
          onConfirm={async () => onSecret(await renewing.mutateAsync({ id: device.id }))}
        >
          {secret.renew}
        </ConfirmButton>
      </Permitted>
      <Permitted code={deleteDevice.access}>
        <DeleteButton
          words={remove}
          asks={[remove.ask(device.code, device.name), remove.warn]}
          onConfirm={async () => {
            await deleting.mutateAsync({ id: device.id })
            onDeleted?.()
          }}
        />
      </Permitted>
    </RowActions>
  )
}
