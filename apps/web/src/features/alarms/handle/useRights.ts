import { useCurrentUser } from '../../../lib/session.ts'
import { usePermission } from '../../../ui/Permitted.tsx'
import type { Rights } from './deeds.ts'

/** What the user may do about alarms. */
export function useRights(): Rights {
  const { userName } = useCurrentUser()
  return {
    mayAck: usePermission('alarm:ack'),
    mayAssign: usePermission('alarm:assign'),
    mayClose: usePermission('alarm:close'),
    mayShelve: usePermission('alarm:shelve'),
    ownName: userName,
  }
}
