// The remote actions on a device and at one of its compartments, each for a user with its function. The buttons stand in
// a menu or beside a drawing; the dialog is theirs.
import {
  compartmentOfAction,
  type RemoteAction,
  remoteActionCodes,
  remoteActions,
} from '@voltkeep/contract/actions'
import { observedText } from '@voltkeep/contract/lackedAbilities'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { usePage } from '../../../lib/pages.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { Permitted } from '../../../ui/Permitted.tsx'
import type { ActedDevice, ActionDialogProps } from './ActionDialog.tsx'
import { lackIn } from './actions.lack.ts'
import styles from './actions.module.css'
import { actionTexts } from './actions.texts.ts'

const ActionDialog = lazyDialog<ActionDialogProps>(() => import('./ActionDialog.tsx'))

const cabinetClassify = 'EC'

/** In place of the actions of a device that takes none of them, for who could press one. */
function Inability({ device, actions }: { device: ActedDevice; actions: readonly RemoteAction[] }) {
  const { allRole } = usePage()
  if (!actions.some((one) => allRole.includes(remoteActionCodes[one]))) return null
  return (
    <span className={styles.note}>
      {device.speaks?.isObserved ? observedText : actionTexts.noneByProtocol}
    </span>
  )
}

const takesNone = (device: ActedDevice, actions: readonly RemoteAction[]) =>
  actions.every((one) => lackIn(device, one) !== undefined)

/** The buttons for a menu, and the dialog, which is to stand outside it: a menu goes when it has been used. */
export function useRemoteActions(device: ActedDevice & { equipClassify: string }): {
  items: ReactNode
  dialog: ReactNode
} {
  const [action, setAction] = useState<RemoteAction>()
  const offered = remoteActions.filter(
    (one) => device.equipClassify === cabinetClassify || compartmentOfAction[one] === 'none',
  )
  const items = takesNone(device, offered) ? (
    <Inability device={device} actions={offered} />
  ) : (
    offered.map((one) => (
      <Permitted key={one} code={remoteActionCodes[one]}>
        <Button
          type="link"
          size="small"
          disabled={lackIn(device, one) !== undefined}
          title={lackIn(device, one)}
          onClick={(event) => {
            event.stopPropagation()
            setAction(one)
          }}
        >
          {actionTexts.actions[one]}
        </Button>
      </Permitted>
    ))
  )
  const dialog = action && (
    <ActionDialog device={device} action={action} onClose={() => setAction(undefined)} />
  )
  return { items, dialog }
}

const ofCompartments = remoteActions.filter((one) => compartmentOfAction[one] !== 'none')

/**
 * What can be done at a compartment: disable it or, where it is disabled, enable it; and the rest.
 */
export function CompartmentActions({
  device,
  compartment,
}: {
  device: ActedDevice
  compartment: { no: number; state?: string | undefined }
}) {
  const [action, setAction] = useState<RemoteAction>()
  if (takesNone(device, ofCompartments)) return <Inability device={device} actions={ofCompartments} />
  const hidden = compartment.state === 'disabled' ? 'disableCompartment' : 'enableCompartment'
  return (
    <span className={styles.buttons}>
      {ofCompartments
        .filter((one) => one !== hidden)
        .map((one) => (
          <Permitted key={one} code={remoteActionCodes[one]}>
            <Button
              size="small"
              disabled={lackIn(device, one) !== undefined}
              title={lackIn(device, one)}
              onClick={() => setAction(one)}
            >
              {actionTexts.actions[one]}
            </Button>
          </Permitted>
        ))}
      {action && (
        <ActionDialog
          device={device}
          action={action}
          compartment={compartment.no}
          onClose={() => setAction(undefined)}
        />
      )}
    </span>
  )
}
