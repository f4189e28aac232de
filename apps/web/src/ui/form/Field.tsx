import type { Schema } from '@voltkeep/contract/endpoint'
import { Form } from 'antd'
import { createContext, use } from 'react'
import { isRequired, problemsOf } from '../../lib/schemaInput.ts'
import styles from './Field.module.css'
import type { FieldProps } from './form.types.ts'

export interface Rules {
  schema: Schema
  /** After the first submit every change is validated at once; before it, when the field is left. */
  hasTried: boolean
}

export const FormRules = createContext<Rules | undefined>(undefined)

/** The one implementation of every form's `Field`; a form hands it out with the names of its own schema. */
export function Field({
  name,
  label,
  hint,
  dependsOn = [],
  valuePropName = 'value',
  isNeeded = false,
  isBare = false,
  children,
}: FieldProps<string>) {
  const rules = use(FormRules)
  if (!rules) throw new Error('Field outside a form with rules')
  const { schema, hasTried } = rules
  if (isBare) {
    return (
      <Form.Item name={pathOf(name)} valuePropName={valuePropName} noStyle>
        {children}
      </Form.Item>
    )
  }
  return (
    <Form.Item
      className={styles.field ?? ''}
      name={pathOf(name)}
      label={label}
      extra={hint}
      valuePropName={valuePropName}
      dependencies={dependsOn.map(pathOf)}
      required={isNeeded || isRequired(schema, name)}
      validateTrigger={hasTried ? 'onChange' : 'onBlur'}
      rules={[
        ({ getFieldsValue, getFieldValue }) => ({
          validator: async () => {
            const values = getFieldsValue(true) as Record<string, unknown>
            // Before the first submit an untouched field shows no error for being empty.
            const value: unknown = getFieldValue(pathOf(name))
            if (!hasTried && (value === undefined || value === '')) return
            const found = problemsOf(schema, values).find(
              ({ field }) => field === name || field.startsWith(`${name}.`),
            )
            if (found) throw new Error(found.message)
          },
        }),
      ]}
    >
      {children}
    </Form.Item>
  )
}

/** A field's name as antd takes it. */
export const pathOf = (name: string): string[] => name.split('.')
