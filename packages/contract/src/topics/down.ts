// Topics that the server publishes to.
import {
  ActionCommand,
  AdvertiseCommand,
  ExtractLogCommand,
  SetParametersCommand,
  UpgradeCommand,
  WithdrawCommand,
} from './commands.ts'
import { type DownTopic, downTopic } from './topic.ts'
import type { UpTopicName } from './up.ts'

/** One per command. `answeredBy` is the up topic of the answer. */
export const downTopics = {
  advertise: downTopic({
    name: 'advertise',
    summary: '投放广告',
    answeredBy: 'reply',
    payload: AdvertiseCommand,
    example: {
      id: '4711',
      time: 1_767_225_600_000,
      deadline: 1_767_312_000_000,
      advertisementId: '12',
      name: '春节换电优惠',
      url: 'http://192.168.1.10:8080/files/3f2c8a54-6f1e-4c57-9b0d-2a1f4e7c9d10/EC2024010001?expires=1767312000&signature=f3Qk',
      sizeBytes: 184_320,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      contentType: 'image/png',
      startTime: 1_767_229_200_000,
      endTime: 1_767_834_000_000,
    },
  }),
  withdraw: downTopic({
    name: 'withdraw',
    summary: '撤下广告',
    answeredBy: 'reply',
    payload: WithdrawCommand,
    example: {
      id: '4712',
      time: 1_767_225_600_000,
      deadline: 1_767_312_000_000,
      advertisementId: '12',
    },
  }),
  upgrade: downTopic({
    name: 'upgrade',
    summary: '升级固件',
    answeredBy: 'reply',
    payload: UpgradeCommand,
    example: {
      id: '4713',
      time: 1_767_225_600_000,
      deadline: 1_767_830_400_000,
      taskId: '31',
      targetId: '90210',
      partType: 'PART_TYPE_EC_BIN',
      addrIds: ['1', '2'],
      pcbCode: 'SLB-BIN-02',
      version: '1.3',
      hwVersion: '2',
      fileName: 'SLB-BIN-02_PART_TYPE_EC_BIN_V1.3_HW2_R.bin',
      url: 'http://192.168.1.10:8080/files/8b1d5f70-2c4e-4b7a-9a53-61d0c2f7be42/EC2024010001?expires=1767830400&signature=k8Zs',
      sizeBytes: 524_288,
      md5: '5d41402abc4b2a76b9719d911017c592',
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    },
  }),
  setParameters: downTopic({
    name: 'setParameters',
    summary: '设置参数',
    answeredBy: 'reply',
    payload: SetParametersCommand,
    example: {
      id: '4714',
      time: 1_767_225_600_000,
      deadline: 1_767_484_800_000,
      batchId: '8',
      parameters: [
        { id: '02121005', value: 95 },
        { id: '02121010', value: '2222220' },
      ],
    },
  }),
  extractLog: downTopic({
    name: 'extractLog',
    summary: '提取日志',
    answeredBy: 'reply',
    payload: ExtractLogCommand,
    example: {
      id: '4715',
      time: 1_767_225_600_000,
      deadline: 1_767_225_880_000,
      extractionId: '57',
      level: 'RUN',
      fileType: 'gz',
      startTime: 1_767_139_200_000,
      endTime: 1_767_225_600_000,
      url: 'http://192.168.1.10:8080/uploads/log/57/EC2024010001?expires=1767229200&signature=m2Qx',
      maxBytes: 209_715_200,
    },
  }),
  action: downTopic({
    name: 'action',
    summary: '远程操作',
    answeredBy: 'reply',
    payload: ActionCommand,
    example: {
      id: '4716',
      time: 1_767_225_600_000,
      deadline: 1_767_225_660_000,
      action: 'openDoor',
      compartment: 3,
      reason: '电池卡住，维保人员在现场',
    },
  }),
} as const satisfies Record<string, DownTopic & { answeredBy: UpTopicName }>
export type DownTopicName = keyof typeof downTopics
