import type { OperationRow } from '@voltkeep/contract/operations'
import { operationTexts } from './operations.texts.ts'

/** The user's name and login name; for a failed sign-in or a deleted user, what is known. */
export function whoDid({
  userId,
  userName,
  loginName,
}: Pick<OperationRow, 'userId' | 'userName' | 'loginName'>): string {
  if (loginName === null) return operationTexts.nobody
  if (userName === loginName || (userName === null && userId === null)) return loginName
  return userName === null ? `${loginName}（${operationTexts.goneUser}）` : `${userName}（${loginName}）`
}
