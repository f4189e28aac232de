// The public pages: no layout, no sign-in, no antd.
export { AsgoftPage, EArkPage, EstolifePage } from './BrandPages.tsx'
export {
  AgreementEnglishPage,
  AgreementPage,
  PrivacyEnglishPage,
  PrivacyOfVisitorPage,
  PrivacyPage,
} from './DocumentPages.tsx'
export { DownloadPage } from './DownloadPage.tsx'
export { NotFound, NotFoundPage } from './NotFoundPage.tsx'
export { PicturePage } from './PicturePage.tsx'
export { ReleasePage } from './ReleasePage.tsx'
