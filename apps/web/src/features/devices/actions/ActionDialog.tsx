// One dialog from the question to the truth: what is about to be done to what and where, why, and then what the device
// has said and shown of it.
import { useQuery } from '@tanstack/react-query'
import {
  actOnDevice,
  compartmentOfAction,
  listRemoteActions,
  type RemoteAction,
} from '@voltkeep/contract/actions'
import { listCompartments } from '@voltkeep/contract/compartments'
import { readDevice } from '@voltkeep/contract/devices'
import { Input, Select } from 'antd'
import { useState } from 'react'
import { reading } from '../../../lib/wire/reading.ts'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import { ActionProgress } from './ActionProgress.tsx'
import { lackIn, type Speaker } from './actions.lack.ts'
import styles from './actions.module.css'
import { actionTexts } from './actions.texts.ts'
import { titleOf } from './actions.words.ts'

const { fields } = actionTexts

/** The device as the question names it. */
export interface ActedDevice extends Speaker {
  id: string
  code: string
  name: string | null
  address: string | null
  isOnline: 0 | 1
}

export interface ActionDialogProps {
  device: ActedDevice
  action: RemoteAction
  /** Where it is known; else it is asked for, as far as the action has one. */
  compartment?: number | undefined
  onClose: () => void
}

export default function ActionDialog({ device, action, compartment: given, onClose }: ActionDialogProps) {
  const [sent, setSent] = useState<{ commandId?: string | undefined; approvalId?: string | undefined }>()
  const [chosen, setChosen] = useState(given)
  const hasCompartment = compartmentOfAction[action] !== 'none'
  const isAsked = given === undefined && hasCompartment
  const isOfAll = compartmentOfAction[action] === 'optional' && chosen === undefined
  const compartments = useQuery({
    ...reading(listCompartments, { id: device.id }),
    enabled: hasCompartment,
    meta: { isQuiet: true },
  }).data?.compartments
  const known = useQuery({
    ...reading(readDevice, { id: device.id }),
    enabled: device.speaks === undefined,
    meta: { isQuiet: true },
  }).data
  const lack = lackIn(known ?? device, action)
  const subject = (
    <Subject
      device={device}
      {...(chosen !== undefined && {
        compartment: compartments?.find(({ no }) => no === chosen) ?? { no: chosen },
      })}
      isOfAll={isOfAll}
    />
  )
  if (sent)
    return (
      <ActionProgress
        title={titleOf(action, chosen)}
        subject={subject}
        action={action}
        {...sent}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={titleOf(action, given)}
      endpoint={actOnDevice}
      stale={[listRemoteActions]}
      initial={{ id: device.id, action, ...(given !== undefined && { compartment: given }) }}
      submitLabel={actionTexts.submit(actionTexts.actions[action])}
      onDone={(answer, { compartment }) => {
        setChosen(compartment)
        setSent(answer)
      }}
      isAnswerShown
      canSend={() => lack === undefined}
      onClose={onClose}
      intro={
        <>
          {subject}
          {lack !== undefined && (
            <p className={styles.offline} role="alert">
              {lack}
            </p>
          )}
          {device.isOnline === 0 && (
            <p className={styles.offline} role="alert">
              {actionTexts.offline}
            </p>
          )}
          <p className={styles.warning}>{isOfAll ? actionTexts.allWarning : actionTexts.warnings[action]}</p>
        </>
      }
    >
      {({ Field }) => (
        <>
          {isAsked && (
            <Field
              name="compartment"
              label={fields.compartment}
              isNeeded={compartmentOfAction[action] === 'needed'}
            >
              <Select
                showSearch={{ filterOption: (typed, option) => isMeant(typed.trim(), option?.label ?? '') }}
                placeholder={
                  compartmentOfAction[action] === 'needed'
                    ? actionTexts.chooseCompartment
                    : actionTexts.allCompartments
                }
                allowClear={compartmentOfAction[action] === 'optional'}
                onChange={(no: number | undefined) => setChosen(no)}
                options={(compartments ?? []).map((one) => ({
                  value: one.no,
                  label: `${actionTexts.compartment(one.no)} ${batteryOf(one)}`,
                }))}
              />
            </Field>
          )}
          <Field name="reason" label={fields.reason} isNeeded>
            <Input.TextArea
              maxLength={200}
              autoSize={{ minRows: 2, maxRows: 4 }}
              placeholder={actionTexts.reasonHint}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** One or two digits are the number of a compartment, anything else is part of what is shown of it. */
const isMeant = (typed: string, label: string) =>
  /^\d{1,2}$/.test(typed) ? label.startsWith(typed) : label.toUpperCase().includes(typed.toUpperCase())

interface NamedCompartment {
  no: number
  state?: string | undefined
  batteryCode?: string | undefined
  soc?: number | undefined
}

function Subject({
  device,
  compartment,
  isOfAll,
}: {
  device: ActedDevice
  compartment?: NamedCompartment
  isOfAll: boolean
}) {
  return (
    <dl className={styles.subject}>
      <dt>{fields.device}</dt>
      <dd>
        <span className="mono">{device.code}</span> {device.name}
      </dd>
      {device.address && (
        <>
          <dt>{fields.address}</dt>
          <dd>{device.address}</dd>
        </>
      )}
      {isOfAll && (
        <>
          <dt>{fields.compartment}</dt>
          <dd>{actionTexts.allCompartments}</dd>
        </>
      )}
      {compartment && (
        <>
          <dt>{fields.compartment}</dt>
          <dd>{actionTexts.compartment(compartment.no)}</dd>
          <dt>{fields.battery}</dt>
          <dd>{batteryOf(compartment)}</dd>
        </>
      )}
    </dl>
  )
}

function batteryOf({ state, batteryCode, soc }: NamedCompartment): string {
  if (batteryCode === undefined) return state === 'empty' ? actionTexts.noBattery : actionTexts.unknownBattery
  return soc === undefined ? batteryCode : `${batteryCode} · ${actionTexts.soc(soc)}`
}
