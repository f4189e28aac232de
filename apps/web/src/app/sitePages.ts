import type { publicPaths } from './publicPaths.ts'

export const loadSitePages = () => import('../features/site/pages.tsx')

type SitePageName = Exclude<keyof Awaited<ReturnType<typeof loadSitePages>>, 'NotFound'>

const pages: Record<(typeof publicPaths)[number] | '/404', SitePageName> = {
  '/asgoft': 'AsgoftPage',
  '/estolife': 'EstolifePage',
  '/e-ark': 'EArkPage',
  '/agreement_zh': 'AgreementPage',
  '/agreement_en': 'AgreementEnglishPage',
  '/privacy': 'PrivacyOfVisitorPage',
  '/privacy_zh': 'PrivacyPage',
  '/privacy_en': 'PrivacyEnglishPage',
  '/download': 'DownloadPage',
  '/upgradation': 'ReleasePage',
  '/pic': 'PicturePage',
  '/404': 'NotFoundPage',
}

/** The public pages by path: without the layout and without a sign-in. */
export const sitePages: Record<string, SitePageName> = pages
