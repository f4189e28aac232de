// The commands from the server to a device, one schema each.
import * as z from 'zod/mini'
import { remoteActions } from './actions.ts'
import { count, described, downHead, listOf, shortText, timestamp } from './fields.ts'

const advertisementId = () =>
  described('Which advertisement. A later command for it names it by the same id.', shortText(64))

const httpAddress = () =>
  z
    .string({ error: '应为文本' })
    .check(z.maxLength(2048, '长度不能超过 2048'), z.regex(/^https?:\/\/\S+$/, '应为 http 或 https 地址'))

/** The address of a file that a command is about. */
const fileAddress = () =>
  described(
    'Where the file is: an http or https address that needs no further credentials and expires.',
    httpAddress(),
  )

/** A hash of the file in lower-case hexadecimal, `digits` long. */
const fileHash = (name: string, digits: number) =>
  described(
    `${name} of the file, in lower-case hexadecimal.`,
    z
      .string({ error: '应为文本' })
      .check(z.regex(new RegExp(`^[0-9a-f]{${digits}}$`), `应为 ${digits} 位小写十六进制`)),
  )

export const AdvertiseCommand = z
  .object({
    ...downHead,
    advertisementId: advertisementId(),
    name: described('Name of the advertisement, for a display or a log.', shortText(64)),
    url: fileAddress(),
    sizeBytes: described('Size of the file in bytes.', count(1)),
    sha256: fileHash('SHA-256', 64),
    contentType: described('Media type of the file, e.g. image/png or video/mp4.', shortText(100)),
    startTime: described('Show it from this moment on, in milliseconds since 1970 UTC.', timestamp()),
    endTime: described('Stop showing it at this moment, in milliseconds since 1970 UTC.', timestamp()),
  })
  .check(
    z.refine(({ startTime, endTime }) => endTime > startTime, {
      path: ['endTime'],
      error: '应晚于 startTime',
    }),
  )
export type AdvertiseCommand = z.output<typeof AdvertiseCommand>

export const WithdrawCommand = z.object({ ...downHead, advertisementId: advertisementId() })
export type WithdrawCommand = z.output<typeof WithdrawCommand>

export const UpgradeCommand = z.object({
  ...downHead,
  taskId: described('The upgrade task, for a log.', shortText(64)),
  targetId: described(
    'One part of this device in one task. Reports name it; a device never installs one target twice.',
    shortText(64),
  ),
  partType: described('Kind of part to upgrade, e.g. PART_TYPE_EC_MASTER.', shortText(64)),
  addrIds: described(
    'Which of the parts of the kind, as the version report numbers them: all of them are upgraded.',
    z.array(shortText(16), { error: '应为列表' }).check(
      z.minLength(1, '不能为空'),
      z.maxLength(200, '最多 200 项'),
      z.refine((list) => new Set(list).size === list.length, '含有重复的部件'),
    ),
  ),
  pcbCode: described('Code of the board that the firmware is built for.', shortText(32)),
  version: described('Software version that the firmware brings.', shortText(32)),
  hwVersion: described(
    'Hardware version that the firmware needs; left out where any will do.',
    z.optional(shortText(32)),
  ),
  fileName: described('Name of the firmware file, for a log.', shortText(255)),
  url: fileAddress(),
  sizeBytes: described('Size of the file in bytes.', count(1)),
  md5: fileHash('MD5', 32),
  sha256: fileHash('SHA-256', 64),
})
export type UpgradeCommand = z.output<typeof UpgradeCommand>

export const SetParametersCommand = z.object({
  ...downHead,
  batchId: described('The batch of settings, for a log.', shortText(64)),
  parameters: described(
    'All of them take effect, or none. The device reports the values on `parameter` when they have.',
    listOf(
      {
        id: described('Parameter id, e.g. 02121005.', shortText(50)),
        value: described(
          'The value that it is to have: a number or a text, by the parameter.',
          z.union([shortText(200), z.number()], { error: '应为文本或数字' }),
        ),
      },
      { least: 1, most: 200 },
    ).check(z.refine((list) => new Set(list.map(({ id }) => id)).size === list.length, '含有重复的参数')),
  ),
})
export type SetParametersCommand = z.output<typeof SetParametersCommand>
/** How a log is packed for its upload. */
const logFileType = () => z.enum(['txt', 'gz', 'zip'], { error: '应为 txt、gz、zip 之一' })

export const ExtractLogCommand = z
  .object({
    ...downHead,
    extractionId: described('The extraction, for a log.', shortText(64)),
    level: described(
      'Which of its logs: a code of the console, e.g. RUN. What it means is agreed for the family of devices.',
      shortText(16),
    ),
    fileType: described(
      '`txt`: upload the text as it is. `gz`: the text packed with gzip. `zip`: a ZIP archive of texts.',
      logFileType(),
    ),
    startTime: described('Lines from this moment on, in milliseconds since 1970 UTC.', timestamp()),
    endTime: described('Lines before this moment, which may be in the future.', timestamp()),
    url: described(
      'Where to PUT the file: an http or https address for this one upload, which expires.',
      httpAddress(),
    ),
    maxBytes: described('A larger file is refused (413), which ends the extraction.', count(1)),
  })
  .check(
    z.refine(({ startTime, endTime }) => endTime > startTime, {
      path: ['endTime'],
      error: '应晚于 startTime',
    }),
  )
export type ExtractLogCommand = z.output<typeof ExtractLogCommand>

export const ActionCommand = z.object({
  ...downHead,
  action: described(
    '`openDoor`, `disableCompartment`, `enableCompartment`, `stopCharging`, `restart` or `reportStatus`.',
    z.enum(remoteActions, { error: `应为 ${remoteActions.join('、')} 之一` }),
  ),
  compartment: described(
    "The compartment's number. `stopCharging` without one is for all of them; `restart` and `reportStatus` have none.",
    z.optional(count(1).check(z.maximum(64, '不能超过 64'))),
  ),
  reason: described('Why, in the words of who asked for it, for a log.', shortText(200)),
})
export type ActionCommand = z.output<typeof ActionCommand>
