/** Of the public pages: they look the same to everybody. The 404 is not among them, which keeps who is signed in. */
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
