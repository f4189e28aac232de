import { useQuery } from '@tanstack/react-query'
import { readJurisdiction } from '@voltkeep/contract/session'
import { useIsSystem } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'

/** The signed-in user's own data permissions; empty where nothing limits the user. */
export function useOwnEntities() {
  const isSystem = useIsSystem()
  const own = useQuery({ ...reading(readJurisdiction, {}), enabled: !isSystem })
  return own.data?.authorityEntities ?? []
}
