// The form of a reading in the catalogue.
import {
  insertReadingDefinition,
  listReadingDefinitions,
  type ReadingDefinition,
  updateReadingDefinition,
} from '@voltkeep/contract/readingCatalogue'
import { listReadings } from '@voltkeep/contract/readings'
import { Input, InputNumber } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { EquipTypeChoice } from '../../ui/choices/PlaceChoices.tsx'
import { FlagSwitch } from '../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './readingCatalogue.module.css'
import { readingCatalogueTexts } from './readingCatalogue.texts.ts'

const { fields, ...words } = readingCatalogueTexts

/** The reads that a change of the catalogue makes stale. */
const stale = [listReadingDefinitions, listReadings]

/** Adds a reading, with the given type preset; or changes one. */
export default function ReadingDialog({
  reading,
  equipTypeId,
  onClose,
}: {
  reading?: ReadingDefinition
  equipTypeId?: string | undefined
  onClose: () => void
}) {
  const readPresent = async (changed: ReadingDefinition) => {
    const { rows } = await call(listReadingDefinitions, { id: changed.id })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={reading ? words.editTitle(reading.name) : words.add}
      endpoint={reading ? updateReadingDefinition : insertReadingDefinition}
      stale={stale}
      initial={
        reading
          ? valuesOf(reading)
          : { equipTypeId, keepsHistory: 1, deadband: 0, longestSeconds: 900, orderNum: 0 }
      }
      readPresent={reading && (() => readPresent(reading))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="equipTypeId" label={fields.equipType}>
            <EquipTypeChoice placeholder={words.choose} />
          </Field>
          <Field name="key" label={fields.key} hint={words.keyHint}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <div className={styles.pair}>
            <Field name="name" label={fields.name}>
              <Input maxLength={64} autoComplete="off" />
            </Field>
            <Field name="group" label={fields.group}>
              <Input maxLength={32} autoComplete="off" />
            </Field>
            <Field name="unit" label={fields.unit}>
              <Input maxLength={16} autoComplete="off" spellCheck={false} />
            </Field>
            <Field name="decimals" label={fields.decimals}>
              <InputNumber min={0} max={6} precision={0} placeholder={words.decimalsHint} />
            </Field>
            <Field name="plausibleMin" label={fields.plausibleMin}>
              <InputNumber />
            </Field>
            <Field name="plausibleMax" label={fields.plausibleMax} dependsOn={['plausibleMin']}>
              <InputNumber />
            </Field>
            <Field name="normalMin" label={fields.normalMin}>
              <InputNumber />
            </Field>
            <Field name="normalMax" label={fields.normalMax} dependsOn={['normalMin']}>
              <InputNumber />
            </Field>
          </div>
          <p className={styles.hint}>
            {words.plausibleHint}
            {words.normalHint}
          </p>
          <Field name="keepsHistory" label={fields.keepsHistory}>
            <FlagSwitch />
          </Field>
          <div className={styles.pair}>
            <Field name="deadband" label={fields.deadband} hint={words.deadbandHint}>
              <InputNumber min={0} />
            </Field>
            <Field name="longestSeconds" label={fields.longestSeconds} hint={words.longestHint}>
              <InputNumber min={1} max={86_400} precision={0} />
            </Field>
            <Field name="orderNum" label={fields.orderNum}>
              <InputNumber min={0} max={9_999} precision={0} />
            </Field>
          </div>
        </>
      )}
    </FormDialog>
  )
}

const valuesOf = ({ keepsHistory, ...reading }: ReadingDefinition) => ({
  ...reading,
  unit: reading.unit ?? undefined,
  decimals: reading.decimals ?? undefined,
  plausibleMin: reading.plausibleMin ?? undefined,
  plausibleMax: reading.plausibleMax ?? undefined,
  normalMin: reading.normalMin ?? undefined,
  normalMax: reading.normalMax ?? undefined,
  group: reading.group ?? undefined,
  keepsHistory: keepsHistory ? (1 as const) : (0 as const),
})
