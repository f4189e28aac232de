import {
  type DeviceRow,
  deleteDevice,
  listDevices,
  readDevice,
  renewDeviceSecret,
  updateDevice,
} from '@voltkeep/contract/devices'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/buttons/ConfirmButton.tsx'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { useRemoteActions } from './actions/DeviceRemoteActions.tsx'
import { deviceTexts } from './devices.texts.ts'
import type { FreshSecret } from './form/devices.secret.ts'

const { remove, secret } = deviceTexts

export interface DeviceActionsProps {
  device: DeviceRow
  /** In a list: reading is commoner than editing, which then stands behind ⋯. */
  onOpen?: (device: DeviceRow) => void
  onEdit: (device: DeviceRow) => void
  onSecret: (fresh: FreshSecret) => void
  onDeleted?: () => void
}

/** The actions on one device, each for a user with its function code. */
export function DeviceActions({ device, onOpen, onEdit, onSecret, onDeleted }: DeviceActionsProps) {
  const remote = useRemoteActions(device)
  const renewing = useWriting(renewDeviceSecret, [readDevice], { said: false })
  const edit = (
    <RowButton code={updateDevice.access} onClick={() => onEdit(device)}>
      {deviceTexts.edit}
    </RowButton>
  )
  return (
    <>
      <RowActions
        more={
          <>
            {onOpen && edit}
            {remote.items}
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
                confirmLabel={secret.renew}
                onConfirm={async () => {
                  onSecret(await renewing.mutateAsync({ id: device.id }))
                  // The answer contains a secret: it is removed from the mutation's state.
                  renewing.reset()
                }}
              >
                {secret.renew}
              </ConfirmButton>
            </Permitted>
            <DeleteRow
              endpoint={deleteDevice}
              input={{ id: device.id }}
              stale={[listDevices]}
              words={remove}
              asks={[remove.ask(device.code, device.name), remove.warn]}
              onDeleted={onDeleted}
            />
          </>
        }
      >
        {onOpen ? <RowButton onClick={() => onOpen(device)}>{deviceTexts.view}</RowButton> : edit}
      </RowActions>
      {remote.dialog}
    </>
  )
}
