// The form of a rota.
import { type DutyRow, insertDuty, listDuties, updateDuty } from '@voltkeep/contract/duties'
import { Button, Input, InputNumber } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './notifications.module.css'
import { notificationTexts } from './notifications.texts.ts'
import { PersonChoice } from './ReceiverFields.tsx'

const { duties } = notificationTexts
const { fields } = duties

type Exceptions = { fromDay: string; toDay: string; userId: string }[]

export default function DutyDialog({ duty, onClose }: { duty?: DutyRow | undefined; onClose: () => void }) {
  const readPresent = async (changed: DutyRow) => {
    const { rows } = await call(listDuties, { ids: [changed.id] })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={duty ? duties.editTitle(duty.name) : duties.add}
      endpoint={duty ? updateDuty : insertDuty}
      stale={[listDuties]}
      initial={
        duty
          ? valuesOf(duty)
          : { timeZone: 'Asia/Shanghai', handoverAt: '09:00', lengthHours: 168, exceptions: [] }
      }
      readPresent={duty && (() => readPresent(duty))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="memberIds" label={fields.members} hint={duties.membersHint}>
            <PersonChoice<string[]> />
          </Field>
          <div className={styles.pair}>
            <Field name="startsOn" label={fields.startsOn}>
              <Input maxLength={10} autoComplete="off" placeholder="2026-12-01" />
            </Field>
            <Field name="handoverAt" label={fields.handoverAt}>
              <Input maxLength={5} autoComplete="off" placeholder="09:00" />
            </Field>
          </div>
          <div className={styles.pair}>
            <Field name="lengthHours" label={fields.lengthHours} hint={duties.lengthHint}>
              <InputNumber min={1} max={2_016} precision={0} />
            </Field>
            <Field name="timeZone" label={fields.timeZone}>
              <Input maxLength={64} autoComplete="off" />
            </Field>
          </div>
          <Field name="exceptions" label={fields.exceptions} hint={duties.exceptionsHint}>
            <ExceptionsInput />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

function ExceptionsInput({
  value = [],
  onChange,
}: {
  value?: Exceptions
  onChange?: (exceptions: Exceptions) => void
}) {
  const change = (at: number, part: Partial<Exceptions[number]>) =>
    onChange?.(value.map((one, index) => (index === at ? { ...one, ...part } : one)))
  return (
    <div className={styles.steps}>
      {value.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an exception is what stands at its place
        <div key={at} className={styles.exception}>
          <Input
            aria-label={duties.fromDay}
            placeholder={duties.fromDay}
            maxLength={10}
            value={one.fromDay}
            onChange={({ target }) => change(at, { fromDay: target.value })}
          />
          <Input
            aria-label={duties.toDay}
            placeholder={duties.toDay}
            maxLength={10}
            value={one.toDay}
            onChange={({ target }) => change(at, { toDay: target.value })}
          />
          <PersonChoice<string>
            isSingle
            aria-label={duties.substitute}
            value={one.userId}
            onChange={(userId) => change(at, { userId })}
          />
          <Button onClick={() => onChange?.(value.filter((_, index) => index !== at))}>
            {duties.removeDay}
          </Button>
        </div>
      ))}
      <Button
        className={styles.whole}
        onClick={() => onChange?.([...value, { fromDay: '', toDay: '', userId: '' }])}
      >
        {duties.addDay}
      </Button>
    </div>
  )
}

/** A member whose account is gone has to be replaced. */
const valuesOf = ({ id, version, name, timeZone, startsOn, handoverAt, lengthHours, ...duty }: DutyRow) => ({
  id,
  version,
  name,
  timeZone,
  startsOn,
  handoverAt,
  lengthHours,
  memberIds: duty.memberIds.filter((member) => member !== null),
  exceptions: duty.exceptions.map(({ fromDay, toDay, userId }) => ({ fromDay, toDay, userId: userId ?? '' })),
})
