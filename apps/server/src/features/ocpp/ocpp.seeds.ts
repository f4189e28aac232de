import { sql } from 'kysely'
import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** The standard's error codes, and what stands for none, with the alarms that the dictionary has for them. */
const standardCodes = [
  ['ConnectorLockFailure', 'OCPP0001'],
  ['EVCommunicationError', 'OCPP0002'],
  ['GroundFailure', 'OCPP0003'],
  ['HighTemperature', 'OCPP0004'],
  ['InternalError', 'OCPP0005'],
  ['LocalListConflict', 'OCPP0006'],
  ['OtherError', 'OCPP0007'],
  ['OverCurrentFailure', 'OCPP0008'],
  ['OverVoltage', 'OCPP0009'],
  ['PowerMeterFailure', 'OCPP0010'],
  ['PowerSwitchFailure', 'OCPP0011'],
  ['ReaderFailure', 'OCPP0012'],
  ['ResetFailure', 'OCPP0013'],
  ['UnderVoltage', 'OCPP0014'],
  ['WeakSignal', 'OCPP0015'],
  ['Faulted', 'OCPP0016'],
] as const

const ocppCodes: Seed = {
  name: 'ocppCodes',
  after: ['ocppSemaphores'],
  async plant(trx) {
    await sql`
      INSERT INTO ocpp_error_code (code, semaphore_code)
      SELECT * FROM unnest(${standardCodes.map(([code]) => code)}::text[],
        ${standardCodes.map(([, semaphore]) => semaphore)}::text[])
      ON CONFLICT (vendor, code) DO NOTHING`.execute(trx)
  },
}

export const ocppSeeds: readonly Seed[] = [
  ocppCodes,
  menuPage({
    directory: 'equipment',
    order: 8,
    name: 'OCPP 故障码',
    path: 'ocppCode',
    remark: 'equipmentOcppCode',
    icon: 'thunderbolt',
    url: 'equipment/ocppCode',
    functions: {
      'ocppCode:list': '查看 OCPP 故障码',
      'ocppCode:insert': '登记 OCPP 故障码',
      'ocppCode:update': '修改 OCPP 故障码',
      'ocppCode:delete': '删除 OCPP 故障码',
    },
  }),
]
