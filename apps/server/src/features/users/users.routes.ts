import { listPhoneUsers } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Users } from './users.service.ts'

export function mountUsers(api: Api, users: Users): void {
  api.mount(listPhoneUsers, ({ actor }) => users.listPhoneUsers(actor))
}
