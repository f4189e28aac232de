import type { DeviceRow } from '@voltkeep/contract/devices'
import { type ReactNode, useState } from 'react'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { DeviceActionsProps } from './DeviceActions.tsx'
import type { FreshSecret } from './form/devices.secret.ts'

export const DeviceDialog = lazyDialog(() => import('./form/DeviceDialog.tsx'))
const SecretDialog = lazyDialog(() => import('./form/SecretDialog.tsx'), { isForced: true })

/** What the actions on a device open, for the list and for the page of one device. */
export function useDeviceDialogs(): {
  actions: Pick<DeviceActionsProps, 'onEdit' | 'onSecret'>
  dialogs: ReactNode
} {
  const [edited, setEdited] = useState<DeviceRow>()
  const [fresh, setFresh] = useState<FreshSecret>()
  return {
    actions: { onEdit: setEdited, onSecret: setFresh },
    dialogs: (
      <>
        {edited && (
          <DeviceDialog
            key={edited.id}
            device={edited}
            onSecret={setFresh}
            onClose={() => setEdited(undefined)}
          />
        )}
        {fresh && <SecretDialog key={fresh.secret} fresh={fresh} onClose={() => setFresh(undefined)} />}
      </>
    ),
  }
}
