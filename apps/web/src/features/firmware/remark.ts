import { PackageRemark, type PackageRow } from '@voltkeep/contract/firmware'

/** The release notes of a row, by language. */
export const remarkOf = ({ remark }: Pick<PackageRow, 'remark'>): PackageRemark =>
  PackageRemark.parse(JSON.parse(remark))
