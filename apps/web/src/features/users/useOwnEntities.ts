import { useQuery } from '@tanstack/react-query'
import { readJurisdiction } from '@voltkeep/contract/session'
import { useIsSystem } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'

/** The signed-in user's own data permissions; none where nothing limits what the user sees. */
export function useOwnEntities() {
  const isSystem = useIsSystem()
  const own = useQuery({ ...reading(readJurisdiction, {}), enabled: !isSystem })
  return own.data?.authorityEntities ?? []
}
