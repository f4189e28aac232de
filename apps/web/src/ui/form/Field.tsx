import type { Schema } from '@voltkeep/contract/endpoint'
import { Form } from 'antd'
import { createContext, type ReactElement, type ReactNode, use } from 'react'
import { isRequired, problemsOf } from '../../lib/schemaInput.ts'
import styles from './Field.module.css'

export interface Rules {
  schema: Schema
  /** After the first send every change is judged at once; before it, leaving the field. */
  hasTried: boolean
}

export const FormRules = createContext<Rules | undefined>(undefined)

export interface FieldProps {
  name: string
  label: ReactNode
  /** A quiet line under the control. */
  hint?: ReactNode
  /** Judged again when one of these changes, e.g. the password under its confirmation. */
  dependsOn?: string[]
  valuePropName?: string
  /** Needed in this form although the schema lets it be absent. */
  isNeeded?: boolean
  children: ReactElement
}

/** A labelled control whose rules are the schema's for the field of that name. */
export function Field({
  name,
  label,
  hint,
  dependsOn = [],
  valuePropName = 'value',
  isNeeded = false,
  children,
}: FieldProps) {
  const rules = use(FormRules)
  if (!rules) throw new Error('Field outside a form with rules')
  const { schema, hasTried } = rules
  return (
    <Form.Item
      className={styles.field ?? ''}
      name={name}
      label={label}
      extra={hint}
      valuePropName={valuePropName}
      dependencies={dependsOn}
      required={isNeeded || isRequired(schema, name)}
      validateTrigger={hasTried ? 'onChange' : 'onBlur'}
      rules={[
        ({ getFieldsValue }) => ({
          validator: async () => {
            const values = getFieldsValue(true) as Record<string, unknown>
            // An untouched field is not blamed for being empty until the form was sent once.
            if (!hasTried && (values[name] === undefined || values[name] === '')) return
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
