// The public pages: the company that runs the platform, the release notes, and shared pictures. These calls need no
// token, so answers must not contain anything confidential.
import * as z from 'zod/mini'
import { endpoint, keptFile, one, page } from './endpoint.ts'
import { id, integer, nothingIn, paging, seededOut, text, timeOut } from './fields.ts'
import { type RemarkLanguage, remarkLanguages } from './firmware.ts'

/** Fields are null if they are not configured. */
export const Company = z.object({
  name: z.nullable(z.string()),
  nameEn: z.nullable(z.string()),
  address: z.nullable(z.string()),
  addressEn: z.nullable(z.string()),
  /** The date from which agreement and privacy policy are in force, `YYYY-MM-DD`. */
  agreementDate: z.nullable(z.string()),
})
export type Company = z.output<typeof Company>

export const readCompany = endpoint({
  method: 'GET',
  path: '/site/company',
  access: 'public',
  summary: '运营方信息',
  input: nothingIn,
  reply: one(Company),
})

/**
 * The language of release notes for a visitor with these preferred languages, best first, as browsers name them
 * (`de-AT`). English if none of the four matches.
 */
export function remarkLanguageFor(languages: readonly string[]): RemarkLanguage {
  for (const language of languages) {
    const known = remarkLanguages.find((one) => one === language.toLowerCase().split('-')[0])
    if (known) return known
  }
  return 'en'
}

export const ReleaseRow = z.object({
  /** `<major>.<minor>` */
  version: z.string(),
  partType: z.string(),
  partTypeName: seededOut,
  /** EQUIP_CLASSIFY */
  equipClassify: z.string(),
  equipTypeName: seededOut,
  /** Models; empty means all of the type. */
  models: z.array(z.string()),
  releaseTime: timeOut,
  /** The release notes, in the requested language. */
  note: z.string(),
})
export type ReleaseRow = z.output<typeof ReleaseRow>

/** Released versions, newest first, without test versions, and without information about files, boards or devices. */
export const listReleases = endpoint({
  method: 'GET',
  path: '/site/release/page',
  access: 'public',
  summary: '版本更新说明',
  input: z.object({
    pageNum: paging.pageNum,
    pageSize: z._default(integer('每页条数', 1, 50), 10),
    /** Preferred languages, best first, as a browser names them. */
    language: z._default(text('语言', 100), 'zh'),
  }),
  reply: page(ReleaseRow),
})

const sharedPicture = z.object({
  id: id('图片'),
  /** The user who shared it; addresses of earlier releases have none. */
  by: z.optional(id('分享人')),
  /** Seconds since 1970. */
  expires: text('有效期', 16, '分享链接不完整'),
  signature: text('签名', 64, '分享链接不完整'),
})

/** The picture for an address made by `/ad/share`. It is deleted with its advertisement. */
export const readSharedPicture = endpoint({
  method: 'GET',
  path: '/site/picture',
  access: 'public',
  summary: '分享的图片',
  input: sharedPicture,
  reply: one(z.object({ name: z.string(), expiresTime: timeOut })),
})

export const readSharedPictureFile = endpoint({
  method: 'GET',
  path: '/site/picture/file',
  access: 'public',
  summary: '分享的图片文件',
  input: sharedPicture,
  reply: keptFile(),
})
