// Fields that many calls share: what a client may send for them, and the Chinese messages.
import * as z from 'zod/mini'
import { codesIn, wordsIn } from './codes.ts'
import type { StoredFile, UploadedFile } from './endpoint.ts'

/** The message for a missing value or one of the wrong type, since zod's own messages are English. */
export const required = (message: string) => ({ error: message })

/**
 * Converts a number or a boolean to text, and leaves anything else to the next schema. `String(value)` must not be
 * used on a client's value: an object may contain a `toString` that is not a function.
 */
export const asText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value

/** An id: a string on the wire, an integer in the database. */
export const id = (label = '编号', missing = `${label}不能为空`) =>
  z.pipe(z.transform(asText), z.string(required(missing)).check(z.regex(/^[1-9]\d{0,17}$/, `${label}无效`)))

/** An id in a reply: the database's integer becomes a string. */
export const idOut = z.pipe(
  z.transform((value: number | string | bigint) => String(value)),
  z.string(),
)

/** What shows nothing, or changes the order in which its neighbours are shown; not line breaks and tabs. */
const invisible =
  /(?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu
/** The joiner of an emoji of several, such as a family. */
const joined = /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/u

/**
 * Strips characters that are not seen: two names that look the same are the same, and no name reads other than it is
 * (`cod.exe` with an override shows as `exe.doc`). They come with text pasted from chats and sheets, so nobody is asked
 * to find and remove them. Variation selectors stay, as rare Chinese characters need them.
 */
export const withoutInvisible = (given: string): string =>
  given
    .split(joined)
    .map((part) => part.replace(invisible, ''))
    .join('\u200d')

/**
 * A text of at most `max` characters, trimmed and without invisible characters. The server removes empty texts before
 * this schema runs.
 */
export const text = (label: string, max: number, message = `请输入${label}`) =>
  stringOf(label, message).check(z.overwrite(withoutInvisible), ...bounds(label, max, message))

/** The same with every character as it was given: for what names a user or a role, whose rule refuses them. */
export const exactText = (label: string, max: number, message = `请输入${label}`) =>
  stringOf(label, message).check(...bounds(label, max, message))

const stringOf = (label: string, message: string) =>
  z.string({ error: ({ input }) => (input === undefined ? message : `${label}应为文本`) })
const bounds = (label: string, max: number, message: string) => [
  z.trim(),
  z.minLength(1, message),
  z.maxLength(max, `${label}长度不能超过${max}个字符`),
]

/** A whole number within bounds; a number, or its text as a query string carries it. */
export const integer = (label: string, min: number, max: number) =>
  z.pipe(
    z.transform((value: unknown) =>
      typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value,
    ),
    z
      .int({ error: `${label}应为整数` })
      .check(z.minimum(min, `${label}不能小于 ${min}`), z.maximum(max, `${label}不能大于 ${max}`)),
  )

/** One of a few numbers, sent as a number or as text; true and false mean 1 and 0. */
export const oneOf = <const Values extends readonly number[]>(label: string, values: Values) =>
  z.pipe(
    z.transform((value: unknown) =>
      typeof value === 'string' && /^-?\d{1,6}$/.test(value)
        ? Number(value)
        : value === true || value === 'true'
          ? 1
          : value === false || value === 'false'
            ? 0
            : value,
    ),
    z.literal(values, { error: `${label}只能是 ${values.join('、')}` }),
  )

/** A list sent as a JSON array, as one value, or comma-joined. Empty items are dropped. */
export const list = <S extends z.ZodMiniType>(item: S, label: string, max = 500) =>
  z.pipe(
    z.transform((value: unknown) => {
      const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[,\n]/) : [value]
      return items.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '')
    }),
    z.array(item, { error: `${label}应为列表` }).check(z.maxLength(max, `${label}最多 ${max} 项`)),
  )

/** The maximum number of ids in a list's filter and in a live event. */
export const idsAtOnce = 200

/** A filter by ids; the other filters still apply. */
export const idsIn = (label: string) => z.optional(list(id(label), label, idsAtOnce))

/** The rows that a write is limited to (`narrows`); without it the write is for all that it can reach. */
export const limitedTo = (label: string, max = 500) =>
  z.optional(list(id(label), label, max).check(z.minLength(1, `请选择${label}`)))

const lookupsAtMost = 500

/** The device codes in a value of a client: a text, a number, or a list of them. What else is in it stays, to be refused. */
export const codesOfInput = (value: unknown): unknown[] => [
  ...new Set(
    (Array.isArray(value) ? value : [value]).flatMap((one) =>
      typeof one === 'string' || typeof one === 'number' ? codesIn(String(one)) : [one],
    ),
  ),
]

/**
 * Device codes to look up, in any pasted form (`codesIn`), or a list of them. Where something was given but no code is
 * left, the lookup finds nothing.
 */
export const deviceCodes = z.pipe(
  z.transform(codesOfInput),
  z
    .array(z.string('设备编号应为文本').check(z.maxLength(64, '设备编号长度不能超过64个字符')))
    .check(z.maxLength(lookupsAtMost, `设备编号最多 ${lookupsAtMost} 项`)),
)

/** Each word of a keyword is searched in all that is known of every device: a longer column is looked up as codes. */
export const keywordsAtMost = 100

/** Words that are searched in devices. */
export const deviceKeyword = text('关键字', 2_000).check(
  z.refine(
    (keyword) => wordsIn(keyword).length <= keywordsAtMost,
    `关键字最多 ${keywordsAtMost} 个词，更多设备请按设备编号查询`,
  ),
)

/** Whether the `code` of this input is codes of devices to look up; in other lists `code` is something else's. */
export const looksUpDeviceCodes = (input: object): boolean =>
  input instanceof z.ZodMiniObject &&
  input.shape.code instanceof z.ZodMiniOptional &&
  input.shape.code.def.innerType === deviceCodes

/** A part of what an entry is about, in which a device's code may stand. */
export const targetWords = text('对象', 200)

/** Whether the `target` of this input is such words. */
export const looksUpTargets = (input: object): boolean =>
  input instanceof z.ZodMiniObject &&
  input.shape.target instanceof z.ZodMiniOptional &&
  input.shape.target.def.innerType === targetWords

const dateTimePattern = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}:\d{2})?$/

/** Whether the text is a date and time that exist in the calendar. */
function isRealDateTime(value: string): boolean {
  const [day = '', clock = '00:00:00'] = value.split(/[ T]/)
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const [hour = 0, minute = 0, second = 0] = clock.split(':').map(Number)
  const known = new Date(Date.UTC(year, month - 1, date))
  return (
    year >= 1970 &&
    known.getUTCMonth() === month - 1 &&
    known.getUTCDate() === date &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  )
}

/**
 * A moment as `YYYY-MM-DD HH:mm:ss` or a date as `YYYY-MM-DD`, in the server's configured time zone. It stays
 * text, because only the server knows the zone. As the start of a range a date means the start of that day,
 * as the end of a range the end of that day (`rangeEdges` on the server). `missing` is the message where there is none.
 */
export const dateTime = (label: string, missing = `${label}格式应为 YYYY-MM-DD HH:mm:ss`) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? missing : `${label}格式应为 YYYY-MM-DD HH:mm:ss`),
    })
    .check(
      z.regex(dateTimePattern, `${label}格式应为 YYYY-MM-DD HH:mm:ss`),
      z.refine((value) => !dateTimePattern.test(value) || isRealDateTime(value), `${label}不是有效的日期`),
    )

/** `startTime` and `endTime`, each optional. */
export const range = {
  startTime: z.optional(dateTime('开始时间')),
  endTime: z.optional(dateTime('结束时间')),
}

/**
 * When a rule about these fields runs: as soon as these fields are valid, even if others are not, so that an answer
 * reports all problems at once.
 */
export const whenValid =
  (...fields: readonly string[]) =>
  ({ value, issues }: { value: unknown; issues: readonly { path?: PropertyKey[] | undefined }[] }): boolean =>
    typeof value === 'object' &&
    value !== null &&
    !issues.some(({ path }) => fields.includes(String(path?.[0])))

/** Refuses a range that ends before it starts. In this format, texts sort like times. */
export const rangeInOrder = z.refine<{ startTime?: string | undefined; endTime?: string | undefined }>(
  ({ startTime, endTime }) =>
    !startTime ||
    !endTime ||
    startTime.replace('T', ' ') <= (endTime.length > 10 ? endTime.replace('T', ' ') : `${endTime} 23:59:59`),
  { error: '结束时间不能早于开始时间', path: ['endTime'], when: whenValid('startTime', 'endTime') },
)

/** Page number from 1; page size 10 by default, at most 500. A value out of range is refused, not clamped. */
export const paging = {
  pageNum: z._default(integer('页码', 1, 100_000_000), 1),
  pageSize: z._default(integer('每页条数', 1, 500), 10),
}

/** The order of a list by one of its columns; allowed are those that the database can read from an index. */
export const sorting = <const Names extends readonly [string, ...string[]]>(names: Names) => ({
  sortBy: z.optional(z.enum(names, { error: `排序字段只能是 ${names.join('、')}` })),
  sortOrder: z.optional(z.enum(['asc', 'desc'], { error: '排序方向只能是 asc、desc' })),
})

const two = (value: number) => String(value).padStart(2, '0')

/** `YYYY-MM-DD HH:mm:ss` of a moment, in the time zone of the process (the server sets TZ at its start). */
export function formatDateTime(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** A time in a reply. */
export const timeOut = z.pipe(
  z.transform((value: Date | string) => (value instanceof Date ? formatDateTime(value) : value)),
  z.string(),
)

/** A part type's code: stored in upper case, accepted in either case. */
export const partTypeCode = (message = '请选择部件类型') =>
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? value.trim().toUpperCase() : value)),
    z
      .string(required(message))
      .check(
        z.minLength(1, message),
        z.maxLength(64, '部件类型编码长度不能超过64个字符'),
        z.regex(/^[A-Z0-9_]*$/, '部件类型编码只能是字母、数字和下划线'),
      ),
  )

/**
 * The version of the row that the form was opened with. The server refuses the write (409 `conflict`) if the row has
 * changed since. Absent: not compared.
 */
export const version = z.optional(integer('版本', 1, 2_147_483_647))

/** Position among siblings, in ascending order. */
export const orderNum = integer('排序', 0, 999_999)

/**
 * The file of a call with `fileLimitBytes`. A client passes a Blob; the server passes the received file, and never a
 * value from the client's fields.
 */
export const upload = (message = '请上传文件') =>
  z.custom<UploadedFile, Blob>(
    (value) => value instanceof Blob || (typeof value === 'object' && value !== null && 'path' in value),
    message,
  )

/** Like `upload`, for a call that keeps its file (`keepsFile`). */
export const keptUpload = (message = '请上传文件') =>
  z.custom<StoredFile, Blob>(
    (value) => value instanceof Blob || (typeof value === 'object' && value !== null && 'sha256' in value),
    message,
  )

export const nothingIn = z.object({})
export const byId = z.object({ id: id() })

/**
 * A sentence or a word of the server's in a reply. It is made and kept in Chinese, and answered in the language of the
 * reader; what people have written is no such text.
 */
export const saidOut = z.string()

/**
 * The name of a row with which an installation starts: answered in the language of the reader while it is the one that it
 * was planted with. Not for what a form is filled with: saving it would rename the row.
 */
export const seededOut = z.string()

/** What the value of an alarm or event means by the dictionary, in the language of the reader as `seededOut`. */
export const meaningOut = z.string()
