// What the server tells a device to do: one schema a command.
import * as z from 'zod/mini'
import { count, described, downHead, shortText, timestamp } from './fields.ts'

const advertisementId = () =>
  described('Which advertisement. A later command for it names it by the same id.', shortText(64))

export const AdvertiseCommand = z
  .object({
    ...downHead,
    advertisementId: advertisementId(),
    name: described('Name of the advertisement, for a display or a log.', shortText(64)),
    url: described(
      'Where the file is: an http or https address that needs no further credentials and expires.',
      z
        .string({ error: '应为文本' })
        .check(z.maxLength(2048, '长度不能超过2048'), z.regex(/^https?:\/\/\S+$/, '应为http或https地址')),
    ),
    sizeBytes: described('Size of the file in bytes.', count(1)),
    sha256: described(
      'SHA-256 of the file, in lower-case hexadecimal.',
      z.string({ error: '应为文本' }).check(z.regex(/^[0-9a-f]{64}$/, '应为64位小写十六进制')),
    ),
    contentType: described('Media type of the file, e.g. image/png or video/mp4.', shortText(100)),
    startTime: described('Show it from this moment on, in milliseconds since 1970 UTC.', timestamp()),
    endTime: described('Stop showing it at this moment, in milliseconds since 1970 UTC.', timestamp()),
  })
  .check(
    z.refine(({ startTime, endTime }) => endTime > startTime, {
      path: ['endTime'],
      error: '应晚于startTime',
    }),
  )
export type AdvertiseCommand = z.output<typeof AdvertiseCommand>

export const WithdrawCommand = z.object({ ...downHead, advertisementId: advertisementId() })
export type WithdrawCommand = z.output<typeof WithdrawCommand>
