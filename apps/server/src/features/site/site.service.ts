// The calls of the public pages. Their callers have not signed in, so the answers contain nothing that a stranger may
// not know.
import {
  type Company,
  type listReleases,
  type ParsedInputFor,
  type RemarkLanguage,
  remarkLanguageFor,
} from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Config } from '../../platform/process/config.ts'
import type { SharedPictures } from '../advertisements/index.ts'
import { createCache } from './answer-cache.ts'
import * as queries from './site.queries.ts'

export type Site = ReturnType<typeof createSite>

/** How long answers for strangers are cached: a new release is shown that much later at most. */
const releasesKeptMs = 30_000
const pagesKept = 200

type Settings = Pick<
  Config,
  'companyName' | 'companyNameEn' | 'companyAddress' | 'companyAddressEn' | 'agreementDate'
>

/** Shared pictures are the advertisements'. */
type Pictures = Pick<SharedPictures, 'readSharedPicture' | 'readSharedPictureFile'>

export function createSite({ db, config, pictures }: { db: Db; config: Settings; pictures: Pictures }) {
  const { readSharedPicture, readSharedPictureFile } = pictures
  const pages = createCache<{ rows: queries.ReleaseRecord[]; total: number }>({
    keptForMs: releasesKeptMs,
    limit: pagesKept,
  })

  async function readReleases(language: RemarkLanguage, page: ReturnType<typeof pageOf>) {
    const total = await queries.countReleases(db, language)
    const rows = page.offset < total ? await queries.listReleases(db, language, page) : []
    return { rows, total }
  }

  return {
    readSharedPicture,
    readSharedPictureFile,

    async readCompany(): Promise<Company> {
      const { companyName, companyNameEn, companyAddress, companyAddressEn, agreementDate } = config
      return {
        name: companyName ?? null,
        nameEn: companyNameEn ?? companyName ?? null,
        address: companyAddress ?? null,
        addressEn: companyAddressEn ?? companyAddress ?? null,
        agreementDate: agreementDate ?? null,
      }
    },

    /** In the first available of the requested languages; up to half a minute old. */
    async listReleases({ language: asked, ...paging }: ParsedInputFor<typeof listReleases>) {
      const language = remarkLanguageFor(asked.split(/[,;\s]+/))
      const page = pageOf(paging)
      return pages.read(`${language} ${page.offset} ${page.limit}`, () => readReleases(language, page))
    },
  }
}
