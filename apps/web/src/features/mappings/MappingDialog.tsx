// The form of a mapping's draft: its document is JSON, as docs/mappings.md has it.
import { useQuery } from '@tanstack/react-query'
import { id as idOf, list, text } from '@voltkeep/contract/fields'
import {
  insertMapping,
  listMappings,
  type MappingRow,
  readMapping,
  replayMapping,
  updateMapping,
} from '@voltkeep/contract/mappings'
import { Input, Switch } from 'antd'
import { Fragment } from 'react'
import * as z from 'zod/mini'
import { call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useEquipTypes } from '../../ui/choices/choices.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import styles from './mappings.module.css'
import { mappingTexts } from './mappings.texts.ts'
import { problemOfForm } from './mappings.words.ts'

const { fields, ...words } = mappingTexts

const documentLimit = 262_144
const stale = [listMappings, readMapping, replayMapping]

function parsed(value: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(value)
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const Form = z.object({
  id: z.optional(z.string()),
  version: z.optional(z.number()),
  isEnabled: z.optional(z.boolean()),
  name: text(fields.name, 64),
  modelIds: list(idOf(fields.models), fields.models, 50).check(z.minLength(1, '请选择设备型号')),
  document: z.string({ error: words.documentMissing }).check(
    z.minLength(1, words.documentMissing),
    z.refine((value) => parsed(value) !== undefined, words.documentInvalid),
  ),
})

/** What a new mapping begins with: an alarm and a reading, to be written over. */
const example = {
  topic: 'maker/{code}/data',
  format: 'json',
  time: { path: '/ts', timeUnit: 's' },
  rules: [
    {
      name: '温度',
      when: 'has(msg.temp)',
      target: 'reading',
      fields: { 柜内温度: { path: '/temp', scale: 0.1 } },
    },
  ],
  commands: [],
}

const shown = (document: object) => JSON.stringify(document, null, 2)

export default function MappingDialog({ mapping, onClose }: { mapping?: MappingRow; onClose: () => void }) {
  const types = useEquipTypes().data ?? []
  const read = useQuery({
    ...reading(readMapping, { id: mapping?.id ?? '0' }),
    enabled: mapping !== undefined,
  })
  // The form begins with the draft, which the list does not have.
  if (mapping && !read.data) return null
  const valuesOf = async () => {
    const present = await call(readMapping, { id: mapping?.id ?? '0' })
    return initialOf(present)
  }
  return (
    <FormDialog
      title={mapping ? words.editTitle(mapping.name) : words.add}
      endpoint={mapping ? updateMapping : insertMapping}
      stale={stale}
      schema={Form}
      width={760}
      initial={
        read.data && mapping
          ? initialOf(read.data)
          : { modelIds: [], document: shown(example), isEnabled: true }
      }
      toInput={({ document, ...values }) => ({ ...parsed(document), ...values }) as never}
      asShown={problemOfForm}
      readPresent={mapping && valuesOf}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="modelIds" label={fields.models}>
            <SearchSelect
              mode="multiple"
              placeholder={words.choose}
              options={types.flatMap(({ name: type, equipModels }) =>
                equipModels.map(({ id, name }) => ({ value: id, label: `${name}（${type}）` })),
              )}
            />
          </Field>
          <Field name="isEnabled" label={fields.isEnabled} hint={words.enabledHint} valuePropName="checked">
            <Switch />
          </Field>
          <details className={styles.help}>
            <summary>{words.help.title}</summary>
            <dl>
              {words.help.lines.map(([term, text]) => (
                <Fragment key={term}>
                  <dt>{term}</dt>
                  <dd>{text}</dd>
                </Fragment>
              ))}
            </dl>
          </details>
          <Field name="document" label={fields.document} hint={words.documentHint}>
            <Input.TextArea
              className="mono"
              maxLength={documentLimit}
              autoSize={{ minRows: 14, maxRows: 28 }}
              spellCheck={false}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

const initialOf = ({
  id,
  version,
  isEnabled,
  name,
  models,
  document,
}: Pick<MappingRow, 'id' | 'version' | 'isEnabled' | 'name' | 'models'> & { document: object }) => ({
  id,
  version,
  isEnabled,
  name,
  modelIds: models.map((model) => model.id),
  document: shown(document),
})
