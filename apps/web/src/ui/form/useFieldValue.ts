import { Form } from 'antd'
import type { FieldName, FormValues, TypedForm } from './form.types.ts'

/** A field's present value; the calling component renders again when it changes. */
export function useFieldValue<S, Name extends FieldName<S>>(
  { instance }: TypedForm<S>,
  name: Name,
): FormValues<S>[Name] {
  return Form.useWatch(name, instance)
}
