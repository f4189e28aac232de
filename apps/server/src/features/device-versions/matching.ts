// Which packages are for which parts, as the queries here need it of firmware: queries do not import other features.
export { isOlder, packageMatches, packageVersion, packageVersionText } from '../firmware/index.ts'
