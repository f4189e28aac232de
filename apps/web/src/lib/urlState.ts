import { useNavigate, useSearch } from '@tanstack/react-router'
import type { OutputOf, Schema } from '@voltkeep/contract/endpoint'
import { useCallback, useMemo } from 'react'
import { fieldsOf, readLeniently } from './schemaInput.ts'
import { queryOf, withoutEmpty } from './wire/outgoing.ts'

/** An address's search as flat texts: `?code=A1,A2&pageNum=3`. */
export type RawSearch = Record<string, string>

export function parseSearch(search: string): RawSearch {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(values: Record<string, unknown>): string {
  const query = queryOf(values)
  return query ? `?${query}` : ''
}

/**
 * The search that shows these values: values equal to the schema's defaults are left out, fields that are not the
 * schema's stay.
 */
export function searchShowing(schema: Schema, current: RawSearch, values: object): Record<string, unknown> {
  const others = { ...current }
  for (const field of fieldsOf(schema)) delete others[field]
  const defaults = readLeniently(schema, {}) as Record<string, unknown>
  const shown = Object.entries(withoutEmpty(values)).filter(([name, value]) => defaults[name] !== value)
  return { ...others, ...Object.fromEntries(shown) }
}

export interface UrlStateOptions {
  /** Overwrites the present history entry: for changes that 'back' should not step through. */
  replace?: boolean
}

/**
 * State of a page that is kept in its address, checked by a schema. The setter replaces all of the schema's fields:
 * give `{ ...state, pageNum: 2 }` to change one.
 */
export function useUrlState<S extends Schema>(
  schema: S,
): [OutputOf<S>, (values: object, options?: UrlStateOptions) => void] {
  const raw = useSearch({ strict: false }) as RawSearch
  const navigate = useNavigate()
  const state = useMemo(() => readLeniently(schema, raw), [schema, raw])
  const setState = useCallback(
    (values: object, { replace = false }: UrlStateOptions = {}) => {
      void navigate({
        to: '.',
        search: ((current: RawSearch) => searchShowing(schema, current, values)) as never,
        replace,
        // What the history entry knows beside the address goes on with the page.
        state: true,
      })
    },
    [navigate, schema],
  )
  return [state, setState]
}
