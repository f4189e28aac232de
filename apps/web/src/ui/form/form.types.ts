import type { Schema } from '@voltkeep/contract/endpoint'
import type { FormInstance } from 'antd'
import type { ReactElement, ReactNode } from 'react'

/**
 * The input that a form sends after its schema `S` has parsed the values. Most fields of the contract accept `unknown`
 * and give a precise type; a field whose parsed type the call does not accept back (a file) keeps the accepted type.
 */
export type Sent<S> = S extends { _zod: { output: infer Output; input: infer Input } }
  ? {
      [K in keyof Output]: K extends keyof Input
        ? Output[K] extends Input[K]
          ? Output[K]
          : Input[K]
        : Output[K]
    }
  : never

/** The names of a form's fields; where `S` is a union of schemas, those of all of them. */
export type FieldName<S> = S extends Schema ? keyof Sent<S> & string : never

/** The names of the fields in a group of fields, e.g. `remark.zh`. */
type InnerName<S> = S extends Schema
  ? { [K in keyof Sent<S> & string]: NameIn<K, NonNullable<Sent<S>[K]>> }[keyof Sent<S> & string]
  : never
type NameIn<K extends string, Group> = Group extends readonly unknown[] | Date | Blob
  ? never
  : Group extends object
    ? `${K}.${keyof Group & string}`
    : never

type ValueAt<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never

/** The values of a form while it is filled in: each may still be absent. */
export type FormValues<S> = { [K in FieldName<S>]?: ValueAt<Sent<S>, K> | undefined }

/** Values to start from or to load, e.g. a row: what the database has no value for is null there. */
export type GivenValues<S> = { [K in FieldName<S>]?: ValueAt<Sent<S>, K> | null | undefined }

export interface FieldProps<Name extends string> {
  /** A field inside a group is named by its path: `remark.zh`. */
  name: Name
  label?: ReactNode
  /** A quiet line under the control. */
  hint?: ReactNode
  /** Validated again when one of these changes, e.g. the password of its confirmation. */
  dependsOn?: NoInfer<Name>[]
  valuePropName?: string
  /** Required in this form although the schema lets it be absent. */
  isNeeded?: boolean
  /** The control draws its own frame and errors (`Form.Item.useStatus`). */
  isBare?: boolean
  /** The control: any that takes `value` and `onChange`. */
  children: ReactElement
}

/** A form as its fields use it, typed by its schema `S`. */
export interface TypedForm<S> {
  /** A labelled control. Its rules are the schema's for the field of that name. */
  Field: (props: FieldProps<FieldName<S> | InnerName<S>>) => ReactNode
  /** All present values, also those without a field. */
  values: () => FormValues<S>
  /** Sets the named fields and leaves the others. */
  setValues: (values: FormValues<S>) => void
  /** antd's own, for `useFieldValue`. */
  instance: FormInstance
}
