// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One upload over an 802.11 link, in ns-3:
 *
 *	station --802.11-- access point --1 Gbit/s-- server
 *
 * tsqlab's Wi-Fi testbed as far as ns-3 has it. Nothing is lost but to collisions, the
 * rate is fixed, and the application always has data.
 */

#include <ctime>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/wifi-module.h"

namespace bench {

struct Link {
	std::string mode;     // of data, without the streams: "HtMcs15", "VhtMcs9"
	std::string channel;  // as ns-3 writes it: "{38, 40, BAND_5GHZ, 0}"
	bool vht;
	uint32_t streams;
	uint32_t aggregate_bytes;
};

struct Upload {
	bool tcp;
	uint64_t udp_bit_per_s;  // what is offered
	double length_s;
	double skip_s;  // at the start, not counted in what is received
};

struct Outcome {
	uint64_t bytes;  // of payload, received
	double cpu_s;    // of the event loop alone
};

inline void Defaults()
{
	using namespace ns3;

	Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));
	// As with ath9k and airlink: the data is sent again.
	Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
}

inline ns3::NetDeviceContainer Radios(const Link& link, const ns3::NodeContainer& nodes)
{
	using namespace ns3;

	WifiHelper wifi;
	wifi.SetStandard(link.vht ? WIFI_STANDARD_80211ac : WIFI_STANDARD_80211n);
	wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
				     "DataMode", StringValue(link.mode),
				     "ControlMode", StringValue("OfdmRate24Mbps"));
	wifi.ConfigHtOptions("ShortGuardIntervalSupported", BooleanValue(true));

	YansWifiPhyHelper phy;
	phy.SetChannel(YansWifiChannelHelper::Default().Create());
	phy.Set("ChannelSettings", StringValue(link.channel));
	phy.Set("Antennas", UintegerValue(link.streams));
	phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(link.streams));
	phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(link.streams));

	WifiMacHelper mac;
	NetDeviceContainer radios;
	for (const char* type : {"ns3::StaWifiMac", "ns3::ApWifiMac"}) {
		mac.SetType(type, "Ssid", SsidValue(Ssid("bench")), "BE_MaxAmsduSize", UintegerValue(0),
			    "BE_MaxAmpduSize", UintegerValue(link.aggregate_bytes));
		radios.Add(wifi.Install(phy, mac, nodes.Get(radios.GetN())));
	}

	MobilityHelper mobility;  // all at one place
	mobility.Install(nodes);
	return radios;
}

inline ns3::ApplicationContainer Sender(const Upload& upload, const ns3::InetSocketAddress& to)
{
	using namespace ns3;

	if (upload.tcp) {
		BulkSendHelper bulk("ns3::TcpSocketFactory", to);
		bulk.SetAttribute("SendSize", UintegerValue(1448));
		return bulk.Install(NodeList::GetNode(0));
	}
	OnOffHelper constant("ns3::UdpSocketFactory", to);
	constant.SetConstantRate(DataRate(upload.udp_bit_per_s), 1472);
	return constant.Install(NodeList::GetNode(0));
}

inline Outcome Run(const Link& link, const Upload& upload)
{
	using namespace ns3;

	Defaults();
	NodeContainer wireless(2), server(1);
	NetDeviceContainer radios = Radios(link, wireless);
	PointToPointHelper cable;
	cable.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
	NetDeviceContainer wire = cable.Install(wireless.Get(1), server.Get(0));

	InternetStackHelper().InstallAll();
	Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(radios);
	Ipv4AddressHelper addresses("10.0.2.0", "255.255.255.0");
	InetSocketAddress to(addresses.Assign(wire).GetAddress(1), 5001);
	Ipv4GlobalRoutingHelper::PopulateRoutingTables();

	std::string factory = upload.tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
	PacketSinkHelper sinks(factory, InetSocketAddress(Ipv4Address::GetAny(), 5001));
	Ptr<PacketSink> sink = DynamicCast<PacketSink>(sinks.Install(server).Get(0));
	Sender(upload, to).Start(Seconds(0.5));  // it is associated by then

	uint64_t skipped = 0;
	Simulator::Schedule(Seconds(upload.skip_s), [&] { skipped = sink->GetTotalRx(); });
	Simulator::Stop(Seconds(upload.length_s));
	std::clock_t begun = std::clock();
	Simulator::Run();
	std::clock_t ended = std::clock();
	Outcome outcome = {sink->GetTotalRx() - skipped, double(ended - begun) / CLOCKS_PER_SEC};
	Simulator::Destroy();
	return outcome;
}

}  // namespace bench
