import type { OperationRow } from '@voltkeep/contract/operations'
import { texts } from '../../lib/texts/index.ts'

/** The name and the login name; of who failed to sign in, or is deleted, what is known. */
export function whoDid({
  userId,
  userName,
  loginName,
}: Pick<OperationRow, 'userId' | 'userName' | 'loginName'>): string {
  if (loginName === null) return texts.operations.nobody
  if (userName === loginName || (userName === null && userId === null)) return loginName
  return userName === null ? `${loginName}（${texts.operations.goneUser}）` : `${userName}（${loginName}）`
}
