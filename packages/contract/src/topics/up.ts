// Topics that devices publish to, for the server, the simulator and the documents.
import { AdvertisementReport, CommandReply, UpgradeReport } from './replies.ts'
import {
  AlarmReport,
  ConnectionReport,
  EventReport,
  ParameterReport,
  StatusReport,
  VersionReport,
} from './reports.ts'
import { upTopic } from './topic.ts'

export const upTopics = {
  alarm: upTopic({
    name: 'alarm',
    summary: '告警上报与恢复',
    payload: AlarmReport,
    example: { id: 'a-1', time: 1_767_225_600_000, code: '01110002', value: 5 },
  }),
  event: upTopic({
    name: 'event',
    summary: '事件上报',
    payload: EventReport,
    example: {
      id: 'e-1',
      time: 1_767_225_600_000,
      code: '03110004',
      value: 3,
      isFault: true,
      data: { compartment: 3, user: 'U1024' },
    },
  }),
  version: upTopic({
    name: 'version',
    summary: '部件版本上报',
    payload: VersionReport,
    example: {
      id: 'v-1',
      time: 1_767_225_600_000,
      versions: [
        { partType: 'PART_TYPE_EC_MASTER', version: '1.4', hwVersion: '2', pcbCode: 'SLB-EC-01' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '1', version: '1.2' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '2', version: '1.2' },
      ],
    },
  }),
  parameter: upTopic({
    name: 'parameter',
    summary: '参数上报',
    payload: ParameterReport,
    example: {
      id: 'p-1',
      time: 1_767_225_600_000,
      parameters: [
        { id: '02121005', value: 95 },
        { id: '02121010', value: '2222220' },
      ],
    },
  }),
  status: upTopic({
    name: 'status',
    summary: '运行状态上报',
    payload: StatusReport,
    example: {
      id: 's-1',
      time: 1_767_225_600_000,
      status: { 柜内温度: 31.5, 在位电池数: 8, 市电正常: true },
      compartments: [
        {
          no: 1,
          state: 'charging',
          isDoorOpen: false,
          isLocked: true,
          batteryCode: 'BT24100001',
          soc: 64,
          soh: 97,
          voltage: 52.3,
          current: 8.5,
          temperature: 31.5,
        },
        { no: 2, state: 'empty', isDoorOpen: false },
      ],
    },
  }),
  connection: upTopic({
    name: 'connection',
    summary: '上线通知与遗嘱',
    payload: ConnectionReport,
    example: { id: 'c-1', time: 1_767_225_600_000, isOnline: true },
  }),
  reply: upTopic({
    name: 'reply',
    summary: '命令应答',
    payload: CommandReply,
    example: {
      id: 'r-1',
      time: 1_767_225_600_000,
      commandId: '4711',
      outcome: 'failed',
      reason: '存储空间不足',
    },
  }),
  advertisement: upTopic({
    name: 'advertisement',
    summary: '广告存储与播放上报',
    payload: AdvertisementReport,
    example: {
      id: 'ad-1',
      time: 1_767_225_600_000,
      advertisements: [
        { advertisementId: '12', state: 'shown' },
        { advertisementId: '13', state: 'stored' },
      ],
    },
  }),
  upgrade: upTopic({
    name: 'upgrade',
    summary: '升级进度上报',
    payload: UpgradeReport,
    example: {
      id: 'u-1',
      time: 1_767_225_600_000,
      targetId: '90210',
      state: 'downloading',
      percent: 40,
    },
  }),
} as const
export type UpTopicName = keyof typeof upTopics
