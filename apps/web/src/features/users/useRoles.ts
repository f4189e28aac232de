import { useQuery } from '@tanstack/react-query'
import { listRoles } from '@voltkeep/contract/roles'
import { reading } from '../../lib/wire/reading.ts'

/** Cached only briefly: a role that was just added is often assigned next. */
export function useRoles() {
  return useQuery(reading(listRoles, {}))
}
