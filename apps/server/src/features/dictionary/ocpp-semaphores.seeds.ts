// What charging stations' standard error codes are called, and the events of stations.
import { sql } from 'kysely'
import type { Seed } from '../../platform/database/seeds.ts'

type Entry = readonly [code: string, name: string, note: string, level: 1 | 2 | 3 | 4, isFire?: true]

/** Each connector has its bit, the station bit 0. */
const alarms: readonly Entry[] = [
  ['OCPP0001', '连接器锁故障', 'ConnectorLockFailure', 3],
  ['OCPP0002', '车辆通信异常', 'EVCommunicationError', 4],
  ['OCPP0003', '接地故障', 'GroundFailure', 1],
  ['OCPP0004', '充电桩过温', 'HighTemperature', 1, true],
  ['OCPP0005', '充电桩内部故障', 'InternalError', 2],
  ['OCPP0006', '本地名单冲突', 'LocalListConflict', 4],
  ['OCPP0007', '其他故障', 'OtherError', 2],
  ['OCPP0008', '充电桩过流', 'OverCurrentFailure', 2],
  ['OCPP0009', '充电桩过压', 'OverVoltage', 2],
  ['OCPP0010', '电表故障', 'PowerMeterFailure', 3],
  ['OCPP0011', '电源开关故障', 'PowerSwitchFailure', 2],
  ['OCPP0012', '读卡器故障', 'ReaderFailure', 3],
  ['OCPP0013', '复位失败', 'ResetFailure', 3],
  ['OCPP0014', '充电桩欠压', 'UnderVoltage', 3],
  ['OCPP0015', '无线信号弱', 'WeakSignal', 4],
  ['OCPP0016', '未说明原因的故障', 'Faulted', 2],
]

const events: readonly (readonly [code: string, name: string, note: string, unit: string | null])[] = [
  ['OCPP0101', '充电会话开始', '值为连接器号', '号枪'],
  ['OCPP0102', '充电会话结束', '值为连接器号', '号枪'],
  ['OCPP0103', '厂家自定义数据', 'DataTransfer', null],
  ['OCPP0104', '安全事件', 'SecurityEventNotification', null],
]

const namedConnectors = 16
/** In the words of each family of devices. */
const connectorNames = {
  EC: (number: number) => `${number}号仓`,
  ESS: (number: number) => `${number}号枪`,
}

export const ocppSemaphores: Seed = {
  name: 'ocppSemaphores',
  after: ['semaphores'],
  async plant(trx) {
    const entries = [
      ...alarms.map(([code, name, note, level, isFire = false], index) => ({
        type: 'ALARM',
        code,
        name,
        note,
        unit: null,
        level,
        analysis: 'BIT',
        order: 900 + index,
        isFire,
      })),
      ...events.map(([code, name, note, unit], index) => ({
        type: 'EVENT',
        code,
        name,
        note,
        unit,
        level: null,
        analysis: null,
        order: 900 + index,
        isFire: false,
      })),
    ]
    const { rows: planted } = await sql<{ id: number; type: string }>`
      INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, order_num, is_fire)
      SELECT type, code, name, note, unit, level, analysis, "order", "isFire"
      FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        AS e(type text, code text, name text, note text, unit text, level smallint, analysis text, "order" integer,
          "isFire" boolean)
      ON CONFLICT (type, code) DO NOTHING
      RETURNING id, type`.execute(trx)
    const definitions = planted
      .filter(({ type }) => type === 'ALARM')
      .flatMap(({ id }) =>
        Object.entries(connectorNames).flatMap(([classify, nameOf]) =>
          Array.from({ length: namedConnectors + 1 }, (_, bit) => ({
            id,
            classify,
            bit,
            name: bit === 0 ? '整机' : nameOf(bit),
          })),
        ),
      )
    await sql`
      INSERT INTO semaphore_definition (entry_id, equip_classify, bit_position, name)
      SELECT id, classify, bit, name FROM jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb)
        AS d(id integer, classify text, bit bigint, name text)`.execute(trx)
  },
}
