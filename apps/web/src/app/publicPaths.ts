/**
 * The paths of the public pages, which look the same to everybody. The 404 is not among them: it keeps a signed-in
 * user's sidebar.
 */
export const publicPaths = [
  '/asgoft',
  '/estolife',
  '/e-ark',
  '/agreement_zh',
  '/agreement_en',
  '/privacy',
  '/privacy_zh',
  '/privacy_en',
  '/download',
  '/upgradation',
  '/pic',
] as const
