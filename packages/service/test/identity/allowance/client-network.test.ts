import { expect, test } from "@jest/globals";
import { clientNetworkOf } from "../../../src/identity/allowance/client-network.ts";

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
  ["2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
  ["2001:0db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::10.0.0.1", "64:ff9b:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["unknown", "unknown"],
  ["", ""],
])("limits count the address %j by %j", (address, network) => expect(clientNetworkOf(address)).toBe(network));
