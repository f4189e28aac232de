import { listIntakeRefusals } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { IntakeRecords } from './intake.service.ts'

export function mountIntake(api: Api, records: IntakeRecords): void {
  api.mount(listIntakeRefusals, ({ actor, input }) => records.listIntakeRefusals(actor, input))
}
