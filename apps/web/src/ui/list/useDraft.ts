import type { FieldProblem } from '@voltkeep/contract/endpoint'
import { type FormEvent, useEffect, useState } from 'react'
import { problemsOf } from '../../lib/schemaInput.ts'
import type { List } from './useList.ts'

/** The filters as they are being typed, before Enter or 查询 applies them. */
export interface Draft {
  values: Record<string, unknown>
  /** The values of the fields after 重置. */
  cleared: Record<string, unknown>
  set(values: Record<string, unknown>): void
  problem(field: string): string | undefined
  /**
   * Applies the draft, with `changed` in place of the typed values; false where the values are wrong, which the fields
   * then show.
   */
  submit(changed?: Record<string, unknown>): boolean
  onSubmit(event: FormEvent): void
  reset(): void
}

export function useDraft(list: Pick<List, 'schema' | 'filters' | 'cleared' | 'apply' | 'reset'>): Draft {
  const { schema, filters, cleared, apply, reset } = list
  const [values, setValues] = useState<Record<string, unknown>>(filters)
  const [problems, setProblems] = useState<FieldProblem[]>([])
  // 'Back', a link or 重置 changed the applied filters: the fields follow.
  useEffect(() => {
    setValues(filters)
    setProblems([])
  }, [filters])

  const submit = (changed: Record<string, unknown> = {}) => {
    const whole = { ...values, ...changed }
    const found = problemsOf(schema, whole)
    setValues(whole)
    setProblems(found)
    if (found.length > 0) return false
    apply(whole)
    return true
  }
  return {
    values,
    cleared,
    set(changed) {
      setValues((current) => ({ ...current, ...changed }))
      setProblems((current) => current.filter((problem) => !(problem.field in changed)))
    },
    problem: (field) =>
      problems.find((problem) => problem.field === field || problem.field.startsWith(`${field}.`))?.message,
    submit,
    onSubmit(event) {
      event.preventDefault()
      submit()
    },
    reset() {
      setValues(cleared)
      setProblems([])
      reset()
    },
  }
}
